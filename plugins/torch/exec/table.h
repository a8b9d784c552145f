#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plugins/torch/exec/call.h"

// Op name → function, inputs and outputs. Each family lists its own ops; this joins the lists.
namespace atcav::plugin {

using Op = Tensors (*)(const Call&);

// Where the inputs after the first are wanted when the model runs on a GPU: beside the first, or on the
// host because they are shapes, axes or limits that are read as numbers.
enum class Arguments { kOnDevice, kOnHost };
constexpr auto kHost = Arguments::kOnHost;

// Which inputs and outputs a node may have, in any opset. The first `needed` inputs must be there; those
// behind them may be left out, by an empty name or by ending the list. At least one output has a name.
struct Slots {
  std::size_t needed = 1;
  std::size_t most = 1;
  std::size_t outputs = 1;  // at most
};
constexpr std::size_t kAny = static_cast<std::size_t>(-1);
constexpr Slots kAll = {kAny, kAny};  // one input or more, none of them left out

struct OpEntry {
  const char* name;
  Op function;  // null: a control op, see control.h
  Slots slots = {};
  Arguments arguments = Arguments::kOnDevice;
};

std::span<const OpEntry> elementwise_ops();
std::span<const OpEntry> linear_ops();
std::span<const OpEntry> pool_ops();
std::span<const OpEntry> normalize_ops();
std::span<const OpEntry> reduce_ops();
std::span<const OpEntry> shape_ops();
std::span<const OpEntry> part_ops();
std::span<const OpEntry> index_ops();
std::span<const OpEntry> create_ops();
std::span<const OpEntry> resize_ops();
std::span<const OpEntry> quantize_ops();
std::span<const OpEntry> recurrent_ops();
std::span<const OpEntry> attention_ops();
std::span<const OpEntry> signal_ops();
std::span<const OpEntry> detect_ops();
std::span<const OpEntry> deform_ops();
std::span<const OpEntry> control_ops();

// No op of ONNX: a Conv (inputs 0 to 2), plus input 3 if it is there, and a Relu. See fuse_relu.
const OpEntry& conv_relu_op();
// Whether that is faster than its three steps there.
bool has_conv_relu(const at::Device& device);

// Null when the op is not supported (or belongs to another domain than ONNX's own).
const OpEntry* find_op(const onnx::Node& node);

// The one place where inputs and outputs are counted: std::runtime_error naming the node unless they fit the
// op's slots. Whatever runs or rewrites a node with an entry can rely on it.
void check_slots(const onnx::Node& node, const OpEntry& entry);

// All supported names in alphabetical order.
std::vector<std::string> op_names();

}  // namespace atcav::plugin
