#pragma once

#include "atcav/cav.h"
#include "atcav/matrix.h"

// L2-regularised logistic regression with an unpenalised intercept, scikit-learn's objective:
//   ½|w|² + C Σ log(1 + exp(-yᵢ(w·xᵢ + b)))
// Newton's method, each step solved by conjugate gradients: one matrix–vector pair per step of those,
// so wide and tall problems cost the same code. Rows are centred inside, which changes b alone.
namespace atcav::stats {

// `labels` are ±1. Converged when the gradient is below 1e-9 of its size at w = 0.
Cav fit_logistic(const MatrixRef& rows, const VectorRef& labels, double cost);

}  // namespace atcav::stats
