#pragma once

#include "plugins/torch/network.h"

// Running steps.
namespace atcav::plugin {

// How many examples this run has, and how many the model was exported with. See batch.h.
struct BatchSize {
  std::int64_t batch = 1;
  std::int64_t base = 1;
};

// Evaluates one step: reads `values` and the network's constants, writes `values`. `dying` are the slots that
// nothing reads afterwards: they are emptied, and the memory of input 0 may be reused (see PlannedStep for
// overwrite_recorded). Outputs that only training has are not made; a reader of one says that it is missing.
// Every failure, ATen's included, becomes a std::runtime_error that names the node and the shapes it was
// given.
void run_step(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
              BatchSize size, bool overwrite_recorded = false);

}  // namespace atcav::plugin
