#pragma once

#include "atcav/base/matrix.h"
#include "atcav/stats/cav.h"

// Linear support vector machine (hinge loss, unpenalised intercept) by LIBSVM:
//   ½|w|² + C Σ max(0, 1 - yᵢ(w·xᵢ + b))
namespace atcav::stats {

// `labels` are ±1. Solved to LIBSVM's tolerance 1e-6 on the dual's violation.
Cav fit_svm(const MatrixRef& rows, const VectorRef& labels, double cost);

}  // namespace atcav::stats
