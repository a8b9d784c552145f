#pragma once

#include "plugins/torch/network.h"

// Running steps.
namespace atcav::plugin {

using Values = std::vector<at::Tensor>;  // by slot; undefined where nothing has been computed

// How many examples this run has, and how many the model was exported with. See batch.h.
struct BatchSize {
  std::int64_t batch = 1;
  std::int64_t base = 1;
};

// Evaluates one step. `dying` are the slots that nothing reads afterwards: they are emptied, and the
// memory of input 0 may be reused (see PlannedStep for overwrite_recorded). Every failure, ATen's included,
// becomes a std::runtime_error that names the node and the shapes it was given.
Tensors run_step(const Network& network, const Step& step, Values& values, const std::vector<Slot>& dying,
                 BatchSize size, bool overwrite_recorded = false);

}  // namespace atcav::plugin
