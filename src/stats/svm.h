#pragma once

#include "atcav/cav.h"
#include "atcav/matrix.h"

// Linear support vector machine (hinge loss, unpenalised intercept), the objective of LIBSVM and SVC:
//   ½|w|² + C Σ max(0, 1 - yᵢ(w·xᵢ + b))
//
// Solved on its dual, min ½|Gᵀα|² - Σα with 0 ≤ α ≤ C and y·α = 0 (G = rows times labels, w = Gᵀα), by a
// primal–dual interior point method (Mehrotra 1992): ten to twenty Newton steps whatever the data, each one
// Cholesky factorisation of min(n, d) unknowns. LIBSVM keeps its kernel in float; where classes overlap and
// d < n it then cannot reach 1e-6 and runs to its limit of ten million steps.
namespace atcav::stats {

// `labels` are ±1. Converged when primal and dual agree to 1e-6; mostly they do to 1e-12.
// Where no direction beats the intercept alone (weakly separated sets of unequal sizes) the solution is
// w = 0, and exactly 0 is returned: what rounding leaves must not be taken for a direction.
Cav fit_svm(const MatrixRef& rows, const VectorRef& labels, double cost);

// Between primal and dual, as a sum of terms that are all ≥ 0; |w - solution|² is at most twice that.
// `short_of`: 1 - yf. `costs`: C times how often each row counts.
double svm_gap(const Vector& short_of, const Vector& alphas, const Vector& costs);

}  // namespace atcav::stats
