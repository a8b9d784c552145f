#include "plugins/torch/fusion.h"

#include <algorithm>

namespace atcav::plugin {
namespace {

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
