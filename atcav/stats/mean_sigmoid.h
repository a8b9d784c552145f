#pragma once

#include "atcav/base/matrix.h"

// The mean of many sigmoids: what every bootstrap, permutation and simulation of a smooth score spends its
// time on. Several values at a time, within 4 units in the last place of the exact sigmoid; the same result
// on every processor.
namespace atcav::stats {

// (1/m) Σ s(slope · x_j). Infinite products give 0 and 1; a NaN gives NaN.
double mean_sigmoid(const VectorRef& x, double slope);

}  // namespace atcav::stats
