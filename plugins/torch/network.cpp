#include "plugins/torch/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "plugins/torch/control.h"
#include "plugins/torch/onnx/functions.h"
#include "plugins/torch/onnx/topology.h"
#include "plugins/torch/plan.h"
#include "plugins/torch/tensor_torch.h"

namespace atcav::plugin {
namespace {

using Scope = std::map<std::string, Slot>;

// Names visible inside a subgraph: its own first, then those around it.
class Builder {
 public:
  explicit Builder(Network& network) : network_(network) {}

  void build(const onnx::Graph& graph, Scope& scope, std::vector<Step>& steps) {
    for (const onnx::Tensor& tensor : graph.initializers) {
      // Strings and other types without a counterpart fail only when something reads them.
      if (onnx::element_size(tensor.type) == 0 || tensor.type == onnx::Type::kComplex64 ||
          tensor.type == onnx::Type::kComplex128) {
        scope[tensor.name] = network_.add_slot(tensor.name);
        continue;
      }
      scope[tensor.name] = network_.add_slot(tensor.name, to_torch(tensor));
      remember(scope[tensor.name], tensor.type);
    }
    std::set<std::string> outer;
    for (const auto& [name, slot] : scope) outer.insert(name);
    for (const std::size_t i : onnx::execution_order(graph, outer)) add(graph.nodes[i], scope, steps);
  }

  void remember(Slot slot, onnx::Type type) {
    if (is_held_wider(type)) narrow_[slot] = type;
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
    if (step.outputs.empty() || step.outputs.front() == kNoSlot) return;
    const Slot made = step.outputs.front();
    const std::string& op = step.node.op;
    const onnx::Attribute* to = step.node.find(op == "QuantizeLinear" ? "output_dtype" : "to");
    static const std::set<std::string_view> kMoves = {
        "Concat",  "DepthToSpace", "Expand", "Flatten", "Gather",    "Identity", "Pad",
        "Reshape", "Slice",        "Split",  "Squeeze", "Transpose", "Tile",     "Unsqueeze"};
    if (to != nullptr && (op == "Cast" || op == "BitCast" || op == "QuantizeLinear")) {
      remember(made, static_cast<onnx::Type>(to->integer));
    } else if (op == "CastLike" && types.size() > 1) {
      remember(made, types[1]);
    } else if (op == "QuantizeLinear" && types.size() > 2) {
      remember(made, types[2]);
    } else if (op == "Constant" && step.node.find("value") != nullptr) {
      remember(made, step.node.find("value")->tensor.type);
    } else if (kMoves.contains(op) && !types.empty()) {
      for (const Slot slot : step.outputs) remember(slot, types.front());
    }
    const bool any = std::any_of(types.begin(), types.end(),
                                 [](onnx::Type type) { return type != onnx::Type::kUndefined; });
    if (any) step.types = std::move(types);
  }

  void add(const onnx::Node& node, Scope& scope, std::vector<Step>& steps) {
    Step step;
    step.op = find_op(node);
    for (const std::string& name : node.inputs)
      step.inputs.push_back(name.empty() ? kNoSlot : scope.at(name));
    for (const std::string& name : onnx::names_read(node)) step.reads.push_back(scope.at(name));
    if (is_control(node)) {
      add_control(node, std::move(step), scope, steps);
      return;
    }
    for (const std::string& name : node.outputs) {
      step.outputs.push_back(name.empty() ? kNoSlot : network_.add_slot(name));
      if (!name.empty()) scope[name] = step.outputs.back();
    }
    step.node = node;
    follow_types(step);
    if (!folded(step)) steps.push_back(std::move(step));
  }

  // Computes the step now if everything it reads is constant. A failure is left for the run, which
  // reports it if anything needs the result.
  bool folded(const Step& step) {
    if (step.op == nullptr) return false;
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
      throw std::runtime_error(fmt::format("[onnx] {}: attribute '{}' is missing", node.title(), name));
    return attribute->graph.front();
  }

  Body build_body(const onnx::Graph& graph, Scope scope, std::vector<Step>* steps = nullptr) {
    Body body;
    std::set<std::string> weights;
    for (const onnx::Tensor& tensor : graph.initializers) weights.insert(tensor.name);
    for (const onnx::Value& input : graph.inputs) {
      if (weights.contains(input.name)) continue;
      body.inputs.push_back(scope[input.name] = network_.add_slot(input.name));
    }
    build(graph, scope, steps != nullptr ? *steps : body.steps);
    for (const onnx::Value& output : graph.outputs) body.outputs.push_back(scope.at(output.name));
    return body;
  }

  void add_control(const onnx::Node& node, Step step, Scope& scope, std::vector<Step>& steps) {
    if (node.op == "If" && add_chosen_branch(node, step, scope, steps)) return;
    for (const char* name : body_names(node))
      step.bodies.push_back(build_body(body_graph(node, name), scope));
    if (node.op == "If" && step.bodies[0].outputs.size() != step.bodies[1].outputs.size())
      throw std::runtime_error(fmt::format("[onnx] {}: its branches differ in outputs", node.title()));
    for (const std::string& name : node.outputs) {
      step.outputs.push_back(name.empty() ? kNoSlot : network_.add_slot(name));
      if (!name.empty()) scope[name] = step.outputs.back();
    }
    step.is_control = true;
    step.node = node;
    // Subgraphs live in the step now.
    std::erase_if(step.node.attributes,
                  [](const onnx::Attribute& attribute) { return !attribute.graph.empty(); });
    steps.push_back(std::move(step));
  }

  // An If whose condition is known is its branch.
  bool add_chosen_branch(const onnx::Node& node, const Step& step, Scope& scope, std::vector<Step>& steps) {
    if (step.inputs.size() != 1)
      throw std::runtime_error(fmt::format("[onnx] {}: needs one condition", node.title()));
    const at::Tensor& condition = network_.constants[step.inputs.front()];
    if (!condition.defined() || condition.numel() != 1) return false;
    const bool chosen = condition.to(at::kBool).item<bool>();
    const Body body = build_body(body_graph(node, chosen ? "then_branch" : "else_branch"), scope, &steps);
    if (body.outputs.size() != node.outputs.size())
      throw std::runtime_error(fmt::format("[onnx] {}: its branch has other outputs", node.title()));
    for (std::size_t i = 0; i < body.outputs.size(); ++i) scope[node.outputs[i]] = body.outputs[i];
    return true;
  }

  Network& network_;
  std::map<Slot, onnx::Type> narrow_;
};

bool constant_inputs(const Network& network, const Step& step, std::size_t first) {
  return std::all_of(step.inputs.begin() + static_cast<std::ptrdiff_t>(first), step.inputs.end(),
                     [&](Slot slot) { return slot == kNoSlot || network.is_constant(slot); });
}

bool is_plain_norm(const Network& network, const Step& step) {
  if (step.node.op != "BatchNormalization" || step.op == nullptr || step.inputs.size() != 5) return false;
  const onnx::Attribute* training = step.node.find("training_mode");
  const bool trains = training != nullptr && training->integer != 0;
  return !trains && constant_inputs(network, step, 1);
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
  std::set<std::string> weights;
  for (const onnx::Tensor& tensor : graph.initializers) weights.insert(tensor.name);
  Builder builder(network);
  for (const onnx::Value& value : graph.inputs) {
    if (weights.contains(value.name)) continue;
    network.inputs.push_back({value, network.add_slot(value.name)});
    network.slots[value.name] = network.inputs.back().slot;
    builder.remember(network.inputs.back().slot, value.type);
  }
  builder.build(graph, network.slots, network.steps);
  return network;
}

std::size_t link_quantised(Network& network) {
  std::map<Slot, Slot> before;  // by quantised value
  std::size_t linked = 0;
  for (Step& step : network.steps) {
    if (step.op == nullptr || step.inputs.empty()) continue;
    if (step.node.op == "QuantizeLinear") before[step.outputs.front()] = step.inputs.front();
    const auto found = before.find(step.inputs.front());
    if (step.node.op != "DequantizeLinear" || found == before.end() || step.inputs.size() > 3) continue;
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
    if (step.node.op != "Conv" || step.inputs.size() < 2 || step.inputs[1] == kNoSlot) return;
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
    if (step.node.op == "Conv" && step.op != nullptr && step.inputs.size() > 1 &&
        constant_inputs(network, step, 1)) {
      convs[step.outputs.front()] = i;
    }
  }
  for (std::size_t i = 0; i < network.steps.size(); ++i) {
    if (!is_plain_norm(network, network.steps[i])) continue;
    const auto conv = convs.find(network.steps[i].inputs.front());
    if (conv == convs.end() || readers[conv->first] != 1) continue;
    network.fusions.push_back(
        {conv->second, i, fused(network, network.steps[conv->second], network.steps[i])});
  }
}

}  // namespace atcav::plugin
