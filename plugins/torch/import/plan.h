#pragma once

#include <functional>

#include "plugins/torch/exec/network.h"

// Running steps: which of them a set of results needs, in which order, and when each value can be dropped.
namespace atcav::plugin {

// How many examples this run has, and how many the model was exported with. See batch.h.
struct BatchSize {
  std::int64_t batch = 1;
  std::int64_t base = 1;
};

// What happened; the rest of the message is a C++ stack trace.
std::string first_line(const c10::Error& error);

// LibTorch's errors as std::runtime_error with one line.
template <typename Body>
auto in_one_line(Body body) {
  try {
    return body();
  } catch (const c10::Error& error) {
    throw std::runtime_error("[LibTorch] " + first_line(error));
  }
}

// Evaluates one step: reads `values` and the network's constants, writes `values`. `dying` are the slots that
// nothing reads afterwards: they are emptied, and the memory of input 0 may be reused (see PlannedStep for
// overwrite_recorded). Outputs that only training has are not made; a reader of one says that it is missing.
// Every failure, ATen's included, becomes a std::runtime_error that names the node and the shapes it was
// given; only std::bad_alloc stays what it is, since it is not the network's.
void run_step(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
              BatchSize size, bool overwrite_recorded = false);

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
  std::vector<std::shared_ptr<const Step>> fused;  // steps that are no part of the network
};

// Steps that lead to the targets and no others. BatchNormalization is folded into the convolution
// before it where the network knows how (fuse_normalisation) and the value between them is not itself a
// target or `start`; and, where the network says so, one step stands for Conv, Relu and for Conv, Add, Relu
// where nothing else sees what is between. The value of `start` will be given: what only leads there is left
// out. std::runtime_error listing every op on the way that is not supported.
Plan make_plan(const Network& network, const std::vector<Slot>& targets, Slot start = kNoSlot);

// Values to run a plan on: these for the network's inputs, in their order.
Values input_values(const Network& network, const Tensors& inputs);

// Runs the plan and returns the targets' values. What the caller gives is never overwritten. `on_value` sees
// each target as soon as it exists and may replace it (to start the gradient there).
using OnValue = std::function<void(Slot, at::Tensor&)>;
Tensors run_plan(const Network& network, const Plan& plan, const Values& given, BatchSize size,
                 const OnValue& on_value = {});
// The same with everything that is there at the end, sequences included.
Values run_to_values(const Network& network, const Plan& plan, const Values& given, BatchSize size,
                     const OnValue& on_value = {});

}  // namespace atcav::plugin
