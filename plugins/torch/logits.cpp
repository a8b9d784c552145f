#include "plugins/torch/logits.h"

#include <fmt/format.h>

#include "atcav/io/fail.h"

namespace atcav::plugin {
namespace {

const Step* maker_of(const Network& network, Slot slot) {
  for (const Step& step : network.steps) {
    for (const Slot output : step.outputs) {
      if (output == slot) return &step;
    }
  }
  return nullptr;
}

bool passes_on(const std::string& op) {
  static const std::set<std::string> kOps = {"Identity", "Reshape", "Flatten", "Squeeze",
                                             "Cast",     "Dropout", "ZipMap"};
  return kOps.contains(op);
}

bool is_link(const std::string& op) { return op == "Softmax" || op == "LogSoftmax" || op == "Sigmoid"; }

Slot starting_point(const Network& network, const std::string& output) {
  if (!output.empty()) {
    const auto found = network.slots.find(output);
    if (found != network.slots.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [name, slot] : network.slots) names.push_back(name);
    throw std::invalid_argument(fmt::format("[find_logits] there is no tensor '{}'; closest: {}", output,
                                            io::closest_names(output, names)));
  }
  for (const onnx::Value& value : network.outputs) {
    const bool real = value.type == onnx::Type::kFloat32 || value.type == onnx::Type::kFloat16 ||
                      value.type == onnx::Type::kFloat64 || value.type == onnx::Type::kBfloat16;
    const Step* maker = maker_of(network, network.slots.at(value.name));
    if (real || (maker != nullptr && maker->node.op == "ZipMap")) return network.slots.at(value.name);
  }
  throw std::runtime_error("[find_logits] the model has no output with real numbers");
}

}  // namespace

Logits find_logits(const Network& network, const std::string& output) {
  const Slot start = starting_point(network, output);
  Slot slot = start;
  const Step* maker = maker_of(network, slot);
  Slot after_maps = start;
  while (maker != nullptr && passes_on(maker->node.op) && !maker->inputs.empty()) {
    slot = maker->inputs.front();
    if (maker->node.op == "ZipMap") after_maps = slot;
    maker = maker_of(network, slot);
  }
  if (maker == nullptr || !is_link(maker->node.op) || maker->inputs.empty()) return {after_maps, ""};
  const Slot logits = maker->inputs.front();
  return {logits, fmt::format("the final {} was stepped over: logits are '{}'", maker->node.op,
                              network.names[logits])};
}

}  // namespace atcav::plugin
