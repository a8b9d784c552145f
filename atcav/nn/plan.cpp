#include "atcav/nn/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace atcav::nn {
namespace {

std::vector<std::size_t> makers(const Network& network) {
  std::vector<std::size_t> maker(network.names.size(), network.steps.size());
  for (std::size_t i = 0; i < network.steps.size(); ++i) {
    for (const Slot slot : network.steps[i].outputs) {
      if (slot != kNoSlot) maker[static_cast<std::size_t>(slot)] = i;
    }
  }
  return maker;
}

void collect_unsupported(const Step& step, std::set<std::string>& titles) {
  if (step.op == nullptr && step.then_outputs.empty()) titles.insert(step.node.title());
}

}  // namespace

Plan make_plan(const Network& network, const std::vector<Slot>& targets) {
  Plan plan;
  plan.targets = targets;
  const auto maker = makers(network);
  std::vector<bool> needed(network.steps.size(), false);
  std::vector<Slot> wanted = targets;
  while (!wanted.empty()) {
    const Slot slot = wanted.back();
    wanted.pop_back();
    const std::size_t step = maker[static_cast<std::size_t>(slot)];
    if (step == network.steps.size() || needed[step]) continue;
    needed[step] = true;
    for (const Slot read : network.steps[step].reads) wanted.push_back(read);
  }
  std::set<std::string> unsupported;
  for (std::size_t i = 0; i < network.steps.size(); ++i) {
    if (!needed[i]) continue;
    plan.steps.push_back({&network.steps[i], {}});
    collect_unsupported(network.steps[i], unsupported);
  }
  if (!unsupported.empty()) {
    throw std::runtime_error(fmt::format("[nn] not supported: {}", fmt::join(unsupported, ", ")));
  }
  std::set<Slot> still_needed(targets.begin(), targets.end());
  for (auto planned = plan.steps.rbegin(); planned != plan.steps.rend(); ++planned) {
    for (const Slot slot : planned->step->reads) {
      if (!network.is_constant(slot) && still_needed.insert(slot).second) planned->dying.push_back(slot);
    }
  }
  return plan;
}

Tensors run_plan(const Network& network, const Plan& plan, const Tensors& inputs, BatchSize size,
                 const OnValue& on_value) {
  Values values(network.names.size());
  for (std::size_t i = 0; i < network.inputs.size() && i < inputs.size(); ++i) {
    values[static_cast<std::size_t>(network.inputs[i].slot)] = inputs[i];
  }
  const auto is_target = [&](Slot slot) {
    return std::find(plan.targets.begin(), plan.targets.end(), slot) != plan.targets.end();
  };
  const auto notice = [&](Slot slot) {
    if (on_value && is_target(slot)) on_value(slot, values[static_cast<std::size_t>(slot)]);
  };
  for (const NetworkInput& input : network.inputs) notice(input.slot);
  for (const PlannedStep& planned : plan.steps) {
    const Tensors results = run_step(network, *planned.step, values, planned.dying, size);
    for (std::size_t i = 0; i < planned.step->outputs.size(); ++i) {
      const Slot slot = planned.step->outputs[i];
      if (slot == kNoSlot) continue;
      if (i >= results.size() || !results[i].defined()) {
        throw std::runtime_error(fmt::format("[nn] {}: output {} is not supported", planned.step->node.title(), i));
      }
      values[static_cast<std::size_t>(slot)] = results[i];
      notice(slot);
    }
  }
  Tensors results;
  for (const Slot slot : plan.targets) {
    const auto at = static_cast<std::size_t>(slot);
    results.push_back(network.constants[at].defined() ? network.constants[at] : values[at]);
  }
  return results;
}

}  // namespace atcav::nn
