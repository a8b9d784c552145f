#pragma once

#include <functional>

#include "plugins/torch/execute.h"

// Which steps a set of results needs, in which order, and when each value can be dropped.
namespace atcav::plugin {

struct PlannedStep {
  const Step* step = nullptr;
  std::vector<Slot> dying;  // read here for the last time
  // Input 0 may be overwritten even while gradients are recorded: nothing else reads it, and the op that
  // made it does not need its result for its derivative.
  bool overwrite_recorded = false;
};

struct Plan {
  std::vector<Slot> targets;
  Slot start = kNoSlot;
  bool reads_inputs = false;  // of the network
  std::vector<PlannedStep> steps;
};

// Steps that lead to the targets and no others. BatchNormalization is folded into the convolution
// before it where the network knows how (fusion.h) and the value between them is not itself a target or
// `start`. The value of `start` will be given: what only leads there is left out. std::runtime_error listing
// every op on the way that is not supported.
Plan make_plan(const Network& network, const std::vector<Slot>& targets, Slot start = kNoSlot);

// Values to run a plan on: these for the network's inputs, in their order.
Values input_values(const Network& network, const Tensors& inputs);

// Runs the plan and returns the targets' values. What the caller gives is never overwritten. `on_value` sees
// each target as soon as it exists and may replace it (to start the gradient there).
using OnValue = std::function<void(Slot, at::Tensor&)>;
Tensors run_plan(const Network& network, const Plan& plan, const Values& given, BatchSize size,
                 const OnValue& on_value = {});

}  // namespace atcav::plugin
