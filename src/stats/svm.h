#pragma once

#include "stats/kernel.h"
#include "stats/newton.h"

// A support vector machine on its dual, for rows whose sides (loss.h) go round in circles: min ½|Gᵀα|² - Σα
// with 0 ≤ α ≤ ωC and y·α = 0 (G = rows times labels, w = Gᵀα), by a primal–dual interior point method
// (Mehrotra 1992): ten to twenty Newton steps whatever the data, each one factorisation.
namespace atcav::stats {

// Converged when primal and dual agree to 1e-6; mostly they do to 1e-12.
WeightedFit fit_svm(const Kernel& kernel, WeightedRows rows, double cost);

// What Newton's method left, whose sides may go round in circles. Where some rows are short of their margin
// whatever the cost, w hardly depends on it any more, and a smaller one leaves digits; it does not count as
// converged. w is 0 where its losses are those of 0 and the gap to the dual leaves no room for another.
WeightedFit settle_svm(const Kernel& kernel, WeightedFit fit, double cost);

}  // namespace atcav::stats
