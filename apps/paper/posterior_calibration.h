#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// Ours: is "the probability that the concept contributes" one? Reliability diagrams of five answers to
// P(⟨z_j, μ⟩ > 0) over 6·repeats simulated problems a setting: the indicator, α† with the paper's σ̂_eff, α†
// with each input's own noise, Φ(S/se) (flat prior), and empirical Bayes (stats/posterior.h). The paper calls
// α† calibrated; its σ̂_eff is the spread over inputs and not the CAV's noise, so it is not.
namespace atcav::paper {

std::vector<Figure> posterior_calibration(const PaperOptions& options);

}  // namespace atcav::paper
