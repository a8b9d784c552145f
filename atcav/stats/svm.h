#pragma once

#include "atcav/base/matrix.h"
#include "atcav/stats/cav.h"

// Linear support vector machine (hinge loss, unpenalised intercept) by LIBSVM:
//   ½|w|² + C Σ max(0, 1 - yᵢ(w·xᵢ + b))
namespace atcav::stats {

// `labels` are ±1. LIBSVM finds which examples are on the margin (tolerance 1e-3), a linear system then gives
// the optimum to rounding; where that guess fails its conditions, LIBSVM goes on to tolerance 1e-6.
Cav fit_svm(const MatrixRef& rows, const VectorRef& labels, double cost);

}  // namespace atcav::stats
