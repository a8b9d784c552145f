#pragma once

#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/run/layer_data.h"

namespace atcav {

// Inner products of the gradients within each class's groups of inputs (input_groups, run/score_concept.h),
// in pieces added up in double: by class and group.
std::vector<std::vector<Matrix>> gradient_kinship(const LayerData& data, int threads);

}  // namespace atcav
