#pragma once

#include "atcav/model.h"
#include "plugins/torch/exec/batch.h"

// What is done with rows where they are, for stages that try directions out: only small matrices travel.
namespace atcav::plugin {

// Rows × d there, moved by steps that come from memory.
at::Tensor moved_rows(const at::Tensor& rows, const model::Steps& steps);

// The sum of all parts' rows, in double.
Eigen::RowVectorXd sum_there(const Tensors& parts);

// On a device; products with rows that lie in memory, and those that the device has no room for, are
// multiplied in memory.
std::unique_ptr<const model::HeldDirections> hold_on(const at::Device& device, const Matrix& directions);

}  // namespace atcav::plugin
