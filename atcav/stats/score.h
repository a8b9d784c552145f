#pragma once

#include <vector>

#include "atcav/base/matrix.h"

// Scores of a class from its sensitivities S = Z w: one number per input, the change of the class's
// logit along the concept's direction.
namespace atcav::stats {

// Share of inputs with S > 0 (Kim et al. 2018). An exact zero counts as not positive.
double tcav(const VectorRef& sensitivities);
// The same with ½ for an exact zero (Heaviside): the limit of alpha_tcav as α grows.
double heaviside_tcav(const VectorRef& sensitivities);
// Share of inputs with S = 0.
double zero_share(const VectorRef& sensitivities);
// Mean sensitivity: what peers call magnitude.
double magnitude(const VectorRef& sensitivities);
// α-TCAV: mean of s(α S/γ). α may be infinite.
double alpha_tcav(const VectorRef& sensitivities, double alpha, double gamma);

// Sensitivity profile: α-TCAV over a grid of α.
struct Profile {
  std::vector<double> alpha;  // 0.1 … 100, ten per decade, log-spaced
  std::vector<double> score;
};
Profile sensitivity_profile(const VectorRef& sensitivities);

}  // namespace atcav::stats
