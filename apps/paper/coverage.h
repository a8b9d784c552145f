#pragma once

#include <array>
#include <vector>

#include "apps/paper/figure.h"

// Ours: do intervals cover? The closed-form interval T ± 1.96 se (span/noise.h) and the percentile bootstrap,
// against the expected score at the same budget.
namespace atcav::paper {

struct CoverageSetting {
  Index n_random;
  Index n_concept;
  double length;            // |μ|
  bool random_pull = true;  // problem.h
  Index draws = 300;        // fresh CAVs that tell the expected score and its true spread
  Index resamples = 100;    // of the bootstrap; 0: none
};

struct Coverage {
  std::array<Estimate, 2> closed_form;  // share of 95 % intervals that cover, α = 1 and α = 3
  Estimate bootstrap;                   // α = 3; 0 without resamples
  // Closed-form error over true spread, both as root mean square over problems, α = 1 and α = 3.
  std::array<double, 2> error_ratio = {};
};
// 4·repeats problems. Settings with different keys get different problems.
Coverage simulate_coverage(const CoverageSetting& setting, std::uint64_t key, const PaperOptions& options);

std::vector<Figure> interval_coverage(const PaperOptions& options);

}  // namespace atcav::paper
