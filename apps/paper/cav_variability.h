#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// How much CAVs vary: Tr Cov(w) against the number of examples for all five methods, in the paper's two
// settings: both classes grow, and only the random examples grow (n₂ = 50 concept examples stay).
// Predicted where there is theory: pattern and fast exactly, ridge by its deterministic equivalent.
// d = 40, Toeplitz covariances 0.2 and 0.4, 2·repeats fits a point.
namespace atcav::paper {

std::vector<Figure> cav_variability(const PaperOptions& options);

}  // namespace atcav::paper
