#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// The paper's figure "variance ratio": r(s) = Var(α*-TCAV)/Var(Multi-TCAV) for s = 2 … 100. The paper's
// approximation depends on s alone; exactly it also depends on the signal of one run, u = √n μ/σ
// (stats/distribution.h), which simulation confirms.
namespace atcav::paper {

std::vector<Figure> variance_ratios(const PaperOptions& options);

}  // namespace atcav::paper
