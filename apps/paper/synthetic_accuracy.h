#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// The paper's figure "classification accuracy on synthetic data": the score g(x) = wᵀx/√n of new rows for
// ridge, pattern and fast CAVs, simulated and predicted before any fit, and the error over ridge's λ.
//
// Data as in the paper: two normals with means μ and -μ, Toeplitz covariances 0.2 (random) and 0.4 (concept);
// d = 100 and 200 + 200 rows here, since the paper gives no numbers. 2·repeats CAVs a point; given a CAV its
// error is known exactly, so only the CAVs are simulated.
namespace atcav::paper {

std::vector<Figure> synthetic_accuracy(const PaperOptions& options);

}  // namespace atcav::paper
