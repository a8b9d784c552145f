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
  std::vector<PlannedStep> steps;
};

// Steps that lead to the targets and no others. BatchNormalization is folded into the convolution
// before it where the network knows how (fusion.h) and the value between them is not itself a target.
// std::runtime_error listing every op on the way that is not supported.
Plan make_plan(const Network& network, const std::vector<Slot>& targets);

// Runs the plan on the given inputs (in the order of network.inputs) and returns the targets' values.
// `on_value` sees each target as soon as it exists and may replace it (to start the gradient there).
using OnValue = std::function<void(Slot, at::Tensor&)>;
Tensors run_plan(const Network& network, const Plan& plan, const Tensors& inputs, BatchSize size,
                 const OnValue& on_value = {});

}  // namespace atcav::plugin
