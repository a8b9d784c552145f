#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plugins/torch/ops/call.h"

// Op name → function. Each family lists its own ops; this joins the lists.
namespace atcav::plugin {

using Op = Tensors (*)(const Call&);

// Where the inputs after the first are wanted when the model runs on a GPU: beside the first, or on the
// host because they are shapes, axes or limits that are read as numbers.
enum class Arguments { kOnDevice, kOnHost };
constexpr auto kHost = Arguments::kOnHost;

struct OpEntry {
  const char* name;
  Op function;
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

// No op of ONNX: a Conv (inputs 0 to 2), plus input 3 if it is there, and a Relu. See fuse_relu.
const OpEntry& conv_relu_op();
// Whether that is faster than its three steps there.
bool has_conv_relu(const at::Device& device);

// Null when the op is not supported (or belongs to another domain than ONNX's own).
const OpEntry* find_op(const onnx::Node& node);

// All supported names in alphabetical order.
std::vector<std::string> op_names();

}  // namespace atcav::plugin
