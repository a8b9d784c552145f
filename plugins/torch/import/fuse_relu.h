#pragma once

#include "plugins/torch/import/plan.h"

namespace atcav::plugin {

// Puts one step in place of Conv, Relu and of Conv, Add, Relu wherever nothing else of the plan sees what is
// between them (ops/table.h: conv_relu_op). The plan owns the new steps.
void fuse_relu(const Network& network, Plan& plan);

}  // namespace atcav::plugin
