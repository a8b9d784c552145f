#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/real_case.h"

// The paper's vary-s experiment: mean and variance over draws of Multi-TCAV with s = 2 … 50 runs, and of
// α-TCAV (α = 1, 3, α*, α†) on the whole budget of 1000 random examples. 4·repeats draws (the paper: 50).
// Panels for the first class; the summary of variance ratios is over all cases.
namespace atcav::paper {

std::vector<Figure> vary_runs(const std::vector<RealCase>& cases, const PaperOptions& options);

}  // namespace atcav::paper
