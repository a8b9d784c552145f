#pragma once

#include "plugins/torch/exec/table.h"
#include "plugins/torch/libtorch.h"
#include "plugins/torch/onnx/budget.h"
#include "plugins/torch/onnx/graph.h"

// An ONNX graph made ready to run: tensors are numbered slots, constants are computed once, every node
// that depends on the input is a step. Constant folding happens here; so does choosing the branch of an
// If whose condition is constant.
namespace atcav::plugin {

using Slot = std::size_t;
constexpr Slot kNoSlot = static_cast<Slot>(-1);

// By slot: tensors, undefined where nothing has been computed. Sequences of tensors are few and stand apart.
class Values {
 public:
  explicit Values(std::size_t slots = 0) : tensors_(slots) {}
  at::Tensor& operator[](Slot slot) { return tensors_[slot]; }
  const at::Tensor& operator[](Slot slot) const { return tensors_[slot]; }
  std::size_t size() const { return tensors_.size(); }
  void push_back(at::Tensor value) { tensors_.push_back(std::move(value)); }

  std::map<Slot, Tensors> sequences;
  onnx::Budget budget;  // of the pass that computes them

 private:
  Tensors tensors_;
};

// A subgraph of a step: the branch of an If, the body of a Loop.
struct Step;
struct Body {
  std::vector<Step> steps;
  std::vector<Slot> inputs, outputs;
};

struct Step {
  onnx::Node node;
  const OpEntry* op = nullptr;  // null: not supported, said when the step is needed; else its slots are right
  std::vector<Slot> inputs;     // kNoSlot for an input left out
  std::vector<Slot> outputs;    // one at least
  std::vector<onnx::Type> types = {};  // of inputs that are held in a wider type; see Call::narrow_type
  std::int64_t scaled_dim = -1;        // see BatchScale
  std::vector<Body> bodies;            // of a control op, as many inputs and outputs as it gives and takes
  // Everything the step reads, its bodies' outside reads included.
  std::vector<Slot> reads;

  bool is_control() const { return op != nullptr && op->function == nullptr; }
};

// A convolution with the normalisation after it inside, in place of both; see fuse_normalisation.
struct Fusion {
  std::size_t conv = 0;  // positions among the steps
  std::size_t norm = 0;
  Step step;
};

struct NetworkInput {
  onnx::Value value;
  Slot slot = kNoSlot;
};

struct Network {
  std::int64_t opset = 0;
  std::vector<std::string> names;     // by slot
  Values constants;                   // undefined where the value depends on the input
  std::map<std::string, Slot> slots;  // of the outermost graph
  std::vector<Step> steps;            // in execution order
  std::vector<Fusion> fusions;
  bool fuses_relu = false;           // plans put Conv, Add and Relu into one step (import/plan.h)
  std::vector<NetworkInput> inputs;  // without the weights that old files list
  std::vector<onnx::Value> outputs;

  bool is_constant(Slot slot) const { return slot != kNoSlot && constants[slot].defined(); }
  // Undefined where nothing has been computed, and for kNoSlot.
  at::Tensor value(const Values& values, Slot slot) const {
    if (slot == kNoSlot) return {};
    return is_constant(slot) ? constants[slot] : values[slot];
  }
  Slot add_slot(const std::string& name, at::Tensor constant = {});
};

// std::runtime_error for a graph that cannot be run (see onnx/topology.h and check_slots) or an opset that is
// not known.
// Unsupported ops are not an error here: a label output that nobody asks for may use them.
Network build_network(const onnx::Model& model);

// The step that makes each value; none for inputs and constants.
std::map<Slot, const Step*> makers_of(const Network& network);

// Values that are quantised and dequantised again: the second step is also given the value before, so that
// gradients pass straight through the rounding. Returns how many there are.
std::size_t link_quantised(Network& network);

// Moves floating-point constants to the device, optionally in another type, convolution weights in this order
// of dimensions. Integers, single numbers and what ops read as numbers stay on the host.
void move_constants(Network& network, const at::Device& device, at::ScalarType type,
                    at::MemoryFormat order = at::MemoryFormat::ChannelsLast);

// BatchNormalization at inference is a scale and a shift per channel. After a convolution they go into
// its weights: w' = w·s, b' = (b − mean)·s + shift with s = scale/√(variance + ε); one memory pass less.
// Finds network.fusions; the new weights become constants of the network. A convolution qualifies when its
// weights and all parameters are constant and nothing but the normalisation reads it.
void fuse_normalisation(Network& network);

}  // namespace atcav::plugin
