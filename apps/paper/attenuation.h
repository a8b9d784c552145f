#pragma once

#include <vector>

#include "apps/paper/figure.h"

// Ours: the fewer the examples, the closer a score lies to ½, whatever the concept does; half-sample
// extrapolation (span/extrapolation.h) takes most of that away.
namespace atcav::paper {

struct AttenuationSetting {
  Index n_random;
  Index n_concept;
  double length = 2;  // |μ|
  std::vector<double> alphas = {3};
  Index halves = 10;  // splits into halves behind an extrapolation
};

// One row per problem; α-TCAV has one column per α.
struct AttenuationScores {
  Matrix population;    // with unlimited examples
  Matrix smooth;        // with those drawn
  Matrix extrapolated;  // from them
  Vector tcav;
};
// 2·repeats problems, the same whatever the numbers of examples.
AttenuationScores simulate_attenuation(const AttenuationSetting& setting, const PaperOptions& options);

// Root mean square distance.
double distance_between(const Matrix& estimates, const Matrix& truth);

// α = 3, |μ| = 2, n examples of each class.
std::vector<Figure> attenuation(const PaperOptions& options);

}  // namespace atcav::paper
