#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// The paper's figure "synthetic data TCAV": mean and variance of every score over the budget N, for a concept
// that pulls down (μ < 0), does nothing (μ = 0) or pulls up (μ > 0), σ = 1 and s = 10 runs of Multi-TCAV.
//
// Simulated from the model itself: s run means ~ N(μ, σ²s/N), whose average is the full-budget sensitivity;
// 400·repeats draws a point. Points are simulations, lines exact theory, dashes the paper's approximation.
namespace atcav::paper {

std::vector<Figure> synthetic_scores(const PaperOptions& options);

}  // namespace atcav::paper
