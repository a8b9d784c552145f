#include "plugins/torch/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace atcav::plugin {
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

bool unsupported(const Step& step) { return step.op == nullptr && step.then_outputs.empty(); }

bool forgets_result(const std::string& op) {
  return op == "Conv" || op == "Add" || op == "Sum" || op == "BatchNormalization" || op == "Gemm";
}

// Fused convolutions take the place of their normalisation unless the convolution itself is wanted.
std::vector<const Step*> chosen_steps(const Network& network, const std::vector<Slot>& targets) {
  std::vector<const Step*> steps;
  for (const Step& step : network.steps) steps.push_back(&step);
  for (const Fusion& fusion : network.fusions) {
    const Slot between = network.steps[fusion.conv].outputs.front();
    if (std::find(targets.begin(), targets.end(), between) == targets.end())
      steps[fusion.norm] = &fusion.step;
  }
  return steps;
}

// When each value is read for the last time, and whether the memory may then be reused.
void mark_last_reads(const Network& network, Plan& plan) {
  std::map<Slot, int> readers;
  std::map<Slot, const Step*> made_by;
  for (const PlannedStep& planned : plan.steps) {
    for (const Slot slot : planned.step->reads) ++readers[slot];
    for (const Slot slot : planned.step->outputs) made_by[slot] = planned.step;
  }
  std::set<Slot> needed(plan.targets.begin(), plan.targets.end());
  for (auto planned = plan.steps.rbegin(); planned != plan.steps.rend(); ++planned) {
    for (const Slot slot : planned->step->reads) {
      if (network.is_constant(slot) || !needed.insert(slot).second) continue;
      planned->dying.push_back(slot);
      const auto maker = made_by.find(slot);
      planned->overwrite_recorded |= planned->step->node.op == "Relu" && readers[slot] == 1 &&
                                     maker != made_by.end() && forgets_result(maker->second->node.op);
    }
  }
}

}  // namespace

Plan make_plan(const Network& network, const std::vector<Slot>& targets) {
  Plan plan;
  plan.targets = targets;
  const auto maker = makers(network);
  const auto steps = chosen_steps(network, targets);
  std::vector<bool> needed(steps.size(), false);
  std::vector<Slot> wanted = targets;
  while (!wanted.empty()) {
    const Slot slot = wanted.back();
    wanted.pop_back();
    const std::size_t step = maker[static_cast<std::size_t>(slot)];
    if (step == steps.size() || needed[step]) continue;
    needed[step] = true;
    for (const Slot read : steps[step]->reads) {
      if (read != kNoSlot) wanted.push_back(read);
    }
  }
  std::set<std::string> missing;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!needed[i]) continue;
    plan.steps.push_back({steps[i], {}});
    if (unsupported(*steps[i])) missing.insert(steps[i]->node.title());
  }
  if (!missing.empty())
    throw std::runtime_error(fmt::format("[nn] not supported: {}", fmt::join(missing, ", ")));
  mark_last_reads(network, plan);
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
    const Tensors results =
        run_step(network, *planned.step, values, planned.dying, size, planned.overwrite_recorded);
    for (std::size_t i = 0; i < planned.step->outputs.size(); ++i) {
      const Slot slot = planned.step->outputs[i];
      // Outputs that only training has are not made; a reader of one says that it is missing.
      if (slot == kNoSlot || i >= results.size()) continue;
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

}  // namespace atcav::plugin
