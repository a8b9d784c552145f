#pragma once

#include <string>
#include <vector>

#include "apps/paper/figure.h"
#include "atcav/stats/posterior.h"

// Ours: is "the probability that the concept contributes" one? Five answers to P(⟨z_j, μ⟩ > 0) over simulated
// problems of 60 inputs (problem.h): the indicator, α† with the paper's σ̂_eff, α† with each input's own
// noise, Φ(S/se) (flat prior), and empirical Bayes (stats/posterior.h). The paper calls α† calibrated; its
// σ̂_eff is the spread over inputs and not the CAV's noise, so it is not.
namespace atcav::paper {

enum Answer { kIndicator, kEffective, kAnalytic, kFlat, kEmpiricalBayes, kAnswers };

struct CalibrationSetting {
  Index n;        // random and concept examples each
  double length;  // |μ|
};
// The six that are drawn.
const std::vector<CalibrationSetting>& calibration_settings();

// One per Answer, in 15 bins, from 6·repeats problems. Settings with different keys get different problems.
std::vector<stats::Reliability> simulate_calibration(const CalibrationSetting& setting, std::uint64_t key,
                                                     const PaperOptions& options);

// Reliability diagrams at |μ| = 0.8 and the expected calibration errors of all settings.
std::vector<Figure> posterior_calibration(const PaperOptions& options);

}  // namespace atcav::paper
