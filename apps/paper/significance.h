#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/problem.h"

// Ours: false alarms and power of the usual t-test (a concept's runs against random-versus-random runs) and
// of the permutation test (span/permutation.h). The null hypothesis of both: the concept's examples are
// random ones. 50 concept examples, 500 random ones, 10 runs, 199 permutations.
namespace atcav::paper {

struct PValues {  // one per problem
  std::vector<double> permutation;
  std::vector<double> welch;
};
// 8·repeats problems.
PValues simulate_p_values(const ProblemOptions& problem, const PaperOptions& options);

// How often p ≤ level.
Estimate share_at_most(const std::vector<double>& p, double level);

// False alarms.
std::vector<Figure> significance_level(const PaperOptions& options);

}  // namespace atcav::paper
