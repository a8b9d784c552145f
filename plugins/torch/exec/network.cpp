#include "plugins/torch/exec/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "plugins/torch/exec/control.h"
#include "plugins/torch/exec/tensor_torch.h"
#include "plugins/torch/import/plan.h"
#include "plugins/torch/onnx/functions.h"
#include "plugins/torch/onnx/topology.h"

namespace atcav::plugin {
namespace {

// Names visible inside a graph: its own first, then those around it.
struct Scope {
  std::map<std::string, Slot>& own;
  const Scope* outer = nullptr;

  Slot find(const std::string& name) const {
    const auto found = own.find(name);
    if (found != own.end()) return found->second;
    return outer != nullptr ? outer->find(name) : kNoSlot;
  }
};

// Without the weights that old files list.
std::vector<onnx::Value> inputs_of(const onnx::Graph& graph) {
  std::set<std::string> weights;
  for (const onnx::Tensor& tensor : graph.initializers) weights.insert(tensor.name);
  std::vector<onnx::Value> inputs = graph.inputs;
  std::erase_if(inputs, [&](const onnx::Value& input) { return weights.contains(input.name); });
  return inputs;
}

class Builder {
 public:
  explicit Builder(Network& network) : network_(network) {}

  void build(const onnx::Graph& graph, Scope& scope, std::vector<Step>& steps) {
    for (const onnx::Tensor& tensor : graph.initializers) {
      // Strings and other types without a counterpart fail only when something reads them.
      if (onnx::element_size(tensor.type) == 0 || tensor.type == onnx::Type::kComplex64 ||
          tensor.type == onnx::Type::kComplex128) {
        scope.own[tensor.name] = network_.add_slot(tensor.name);
        continue;
      }
      scope.own[tensor.name] = network_.add_slot(tensor.name, to_torch(tensor));
      remember(scope.own[tensor.name], tensor.type);
    }
    const auto is_known = [&](const std::string& name) { return scope.find(name) != kNoSlot; };
    for (const std::size_t i : onnx::execution_order(graph, is_known)) add(graph.nodes[i], scope, steps);
  }

  void remember(Slot slot, onnx::Type type) {
    if (slot != kNoSlot && is_held_wider(type)) narrow_[slot] = type;
  }

 private:
  // Types that LibTorch does not have are known of inputs, weights and casts, and passed on by ops that move
  // elements.
  void follow_types(Step& step) {
    const auto known = [&](Slot slot) {
      const auto found = narrow_.find(slot);
      return found == narrow_.end() ? onnx::Type::kUndefined : found->second;
    };
    std::vector<onnx::Type> types;
    for (const Slot slot : step.inputs) types.push_back(known(slot));
    const Slot made = step.outputs.front();
    const std::string& op = step.node.op;
    const onnx::Attribute* to = step.node.find(op == "QuantizeLinear" ? "output_dtype" : "to");
    static const std::set<std::string_view> kMoves = {
        "Concat",  "DepthToSpace", "Expand", "Flatten", "Gather",    "Identity", "Pad",
        "Reshape", "Slice",        "Split",  "Squeeze", "Transpose", "Tile",     "Unsqueeze"};
    if (to != nullptr && (op == "Cast" || op == "BitCast" || op == "QuantizeLinear")) {
      remember(made, static_cast<onnx::Type>(to->integer));
    } else if (op == "CastLike") {
      remember(made, types[1]);
    } else if (op == "QuantizeLinear" && types.size() > 2) {
      remember(made, types[2]);
    } else if (op == "Constant" && step.node.find("value") != nullptr) {
      remember(made, step.node.find("value")->tensor.type);
    } else if (kMoves.contains(op)) {
      for (const Slot slot : step.outputs) remember(slot, types.front());
    }
    const bool any = std::any_of(types.begin(), types.end(),
                                 [](onnx::Type type) { return type != onnx::Type::kUndefined; });
    if (any) step.types = std::move(types);
  }

  void add(const onnx::Node& node, Scope& scope, std::vector<Step>& steps) {
    Step step;
    step.op = find_op(node);
    if (step.op != nullptr) check_slots(node, *step.op);
    for (const std::string& name : node.inputs)
      step.inputs.push_back(name.empty() ? kNoSlot : scope.find(name));
    for (const std::string& name : onnx::names_read(node)) step.reads.push_back(scope.find(name));
    if (step.is_control() && add_control(node, step, scope, steps)) return;
    for (const std::string& name : node.outputs) {
      step.outputs.push_back(name.empty() ? kNoSlot : network_.add_slot(name));
      if (!name.empty()) scope.own[name] = step.outputs.back();
    }
    step.node = node;
    // Subgraphs live in the step now.
    std::erase_if(step.node.attributes,
                  [](const onnx::Attribute& attribute) { return !attribute.graph.empty(); });
    if (step.op != nullptr) follow_types(step);
    if (!step.outputs.empty() && !folded(step)) steps.push_back(std::move(step));
  }

  // Computes the step now if everything it reads is constant. A failure is left for the run, which
  // reports it if anything needs the result.
  bool folded(const Step& step) {
    if (step.op == nullptr || step.is_control()) return false;
    const bool constant = std::all_of(step.reads.begin(), step.reads.end(),
                                      [&](Slot slot) { return network_.is_constant(slot); });
    if (!constant) return false;
    try {
      run_step(network_, step, network_.constants, {}, {});
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  }

  static const onnx::Graph& body_graph(const onnx::Node& node, const char* name) {
    const onnx::Attribute* attribute = node.find(name);
    if (attribute == nullptr || attribute->graph.empty())
      Attributes(node).fail("attribute '{}' is missing", name);
    return attribute->graph.front();
  }

  Body build_body(const onnx::Graph& graph, const Scope& outer, std::vector<Step>* steps = nullptr) {
    Body body;
    std::map<std::string, Slot> own;
    Scope scope{own, &outer};
    for (const onnx::Value& input : inputs_of(graph))
      body.inputs.push_back(own[input.name] = network_.add_slot(input.name));
    build(graph, scope, steps != nullptr ? *steps : body.steps);
    for (const onnx::Value& output : graph.outputs) body.outputs.push_back(scope.find(output.name));
    return body;
  }

  // The step's bodies; true for an If whose condition is known, which is its branch.
  bool add_control(const onnx::Node& node, Step& step, Scope& scope, std::vector<Step>& steps) {
    const at::Tensor known = node.op == "If" ? network_.constants[step.inputs.front()] : at::Tensor();
    if (known.defined() && known.numel() == 1) {
      const char* branch = known.to(at::kBool).item<bool>() ? "then_branch" : "else_branch";
      const Body body = build_body(body_graph(node, branch), scope, &steps);
      check_body(node, body, network_.opset);
      for (std::size_t i = 0; i < node.outputs.size(); ++i) scope.own[node.outputs[i]] = body.outputs[i];
      return true;
    }
    for (const char* name : body_names(node)) {
      step.bodies.push_back(build_body(body_graph(node, name), scope));
      check_body(node, step.bodies.back(), network_.opset);
    }
    return false;
  }

  Network& network_;
  std::map<Slot, onnx::Type> narrow_;
};

bool constant_inputs(const Network& network, const Step& step, std::size_t first) {
  return std::all_of(step.inputs.begin() + static_cast<std::ptrdiff_t>(first), step.inputs.end(),
                     [&](Slot slot) { return slot == kNoSlot || network.is_constant(slot); });
}

bool is_plain_norm(const Network& network, const Step& step) {
  if (step.node.op != "BatchNormalization" || step.op == nullptr) return false;
  const onnx::Attribute* training = step.node.find("training_mode");
  const bool trains = training != nullptr && training->integer != 0;
  return !trains && constant_inputs(network, step, 1);
}

// Whether all parameters of the normalisation, and the bias, are a number per output of the convolution.
bool fits(const Network& network, const Step& conv, const Step& norm) {
  const at::Tensor& weight = network.constants[conv.inputs[1]];
  const auto is_per_output = [&](Slot slot) {
    return slot == kNoSlot || network.constants[slot].sizes() == at::IntArrayRef(weight.size(0));
  };
  return weight.dim() > 2 && std::all_of(conv.inputs.begin() + 2, conv.inputs.end(), is_per_output) &&
         std::all_of(norm.inputs.begin() + 1, norm.inputs.end(), is_per_output);
}

Step fused(Network& network, const Step& conv, const Step& norm) {
  const auto constant = [&](const Step& step, std::size_t i) { return network.constants[step.inputs[i]]; };
  const onnx::Attribute* epsilon = norm.node.find("epsilon");
  const at::Tensor scale =
      constant(norm, 1) / (constant(norm, 4) + (epsilon != nullptr ? epsilon->real : 1e-5F)).sqrt();
  const at::Tensor weight = constant(conv, 1);
  Sizes per_output(static_cast<std::size_t>(weight.dim()), 1);
  per_output[0] = -1;
  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kNoSlot;
  const at::Tensor bias = has_bias ? constant(conv, 2) : at::zeros_like(scale);

  Step step = conv;
  const std::string name = conv.node.title();
  step.inputs.resize(3);
  step.inputs[1] = network.add_slot(name + " weights", weight * scale.reshape(per_output));
  step.inputs[2] = network.add_slot(name + " bias", (bias - constant(norm, 3)) * scale + constant(norm, 2));
  step.outputs = {norm.outputs.front()};
  step.reads = step.inputs;  // all three are there
  return step;
}

}  // namespace

Slot Network::add_slot(const std::string& name, at::Tensor constant) {
  names.push_back(name);
  constants.push_back(std::move(constant));
  return names.size() - 1;
}

Network build_network(const onnx::Model& model) {
  const at::NoGradGuard no_grad;
  constexpr std::int64_t kNewestOpset = 28;
  if (model.opset < 1 || model.opset > kNewestOpset) {
    throw std::runtime_error(
        fmt::format("[onnx] opset is {}, must be from 1 to {}", model.opset, kNewestOpset));
  }
  Network network;
  network.opset = model.opset;
  const onnx::Graph graph = onnx::inlined(model);
  network.outputs = graph.outputs;
  Builder builder(network);
  for (const onnx::Value& value : inputs_of(graph)) {
    network.inputs.push_back({value, network.add_slot(value.name)});
    network.slots[value.name] = network.inputs.back().slot;
    builder.remember(network.inputs.back().slot, value.type);
  }
  Scope scope{network.slots};
  builder.build(graph, scope, network.steps);
  return network;
}

std::map<Slot, const Step*> makers_of(const Network& network) {
  std::map<Slot, const Step*> makers;
  for (const Step& step : network.steps) {
    for (const Slot output : step.outputs) {
      if (output != kNoSlot) makers[output] = &step;
    }
  }
  return makers;
}

std::size_t link_quantised(Network& network) {
  std::map<Slot, Slot> before;  // by quantised value
  std::size_t linked = 0;
  for (Step& step : network.steps) {
    if (step.op == nullptr) continue;
    if (step.node.op == "QuantizeLinear") before[step.outputs.front()] = step.inputs.front();
    if (step.node.op != "DequantizeLinear") continue;
    const auto found = before.find(step.inputs.front());
    if (found == before.end()) continue;
    step.inputs.resize(3, kNoSlot);
    step.inputs.push_back(found->second);
    step.reads.push_back(found->second);
    ++linked;
  }
  return linked;
}

void move_constants(Network& network, const at::Device& device, at::ScalarType type, at::MemoryFormat order) {
  std::set<Slot> on_host;
  for (const Step& step : network.steps) {
    if (step.op == nullptr || step.op->arguments != Arguments::kOnHost) continue;
    for (std::size_t i = 1; i < step.inputs.size(); ++i) on_host.insert(step.inputs[i]);
  }
  for (Slot slot = 0; slot < network.constants.size(); ++slot) {
    at::Tensor& constant = network.constants[slot];
    if (!constant.defined() || !at::isFloatingType(constant.scalar_type()) || constant.dim() == 0) continue;
    if (on_host.contains(slot)) continue;
    const auto target = constant.scalar_type() == at::kFloat ? type : constant.scalar_type();
    constant = constant.to(device, target);
  }
  const auto put_in_order = [&](const Step& step) {
    if (step.node.op != "Conv" || step.op == nullptr) return;
    at::Tensor& weight = network.constants[step.inputs[1]];
    if (weight.defined() && weight.dim() == 4) weight = weight.contiguous(order);
  };
  for (const Step& step : network.steps) put_in_order(step);
  for (const Fusion& fusion : network.fusions) put_in_order(fusion.step);
}

void fuse_normalisation(Network& network) {
  const at::NoGradGuard no_grad;
  std::map<Slot, int> readers;
  std::map<Slot, std::size_t> convs;
  for (std::size_t i = 0; i < network.steps.size(); ++i) {
    const Step& step = network.steps[i];
    for (const Slot slot : step.reads) ++readers[slot];
    if (step.node.op == "Conv" && step.op != nullptr && constant_inputs(network, step, 1)) {
      convs[step.outputs.front()] = i;
    }
  }
  for (std::size_t i = 0; i < network.steps.size(); ++i) {
    if (!is_plain_norm(network, network.steps[i])) continue;
    const auto conv = convs.find(network.steps[i].inputs.front());
    if (conv == convs.end() || readers[conv->first] != 1) continue;
    if (!fits(network, network.steps[conv->second], network.steps[i])) continue;
    network.fusions.push_back(
        {conv->second, i, fused(network, network.steps[conv->second], network.steps[i])});
  }
}

}  // namespace atcav::plugin
