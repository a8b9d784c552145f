#include "atcav/stats/alpha.h"

#include <cmath>
#include <limits>

#include "atcav/base/check.h"
#include "atcav/stats/normal.h"

namespace atcav::stats {

double root_mean_square(const VectorRef& sensitivities) {
  check_at_least("root_mean_square", "sensitivities", sensitivities.size(), 1);
  return std::sqrt(sensitivities.array().square().mean()) + 1e-8;
}

double sigma_effective(const VectorRef& sensitivities, Index examples) {
  check_at_least("sigma_effective", "sensitivities", sensitivities.size(), 1);
  check_at_least("sigma_effective", "examples", examples, 1);
  const double variance = (sensitivities.array() - sensitivities.mean()).square().mean();
  return std::sqrt(variance * static_cast<double>(examples));
}

double alpha_star(double gamma, double sigma, Index examples, Index runs) {
  check_at_least("alpha_star", "runs", runs, 2);
  return alpha_dagger(gamma, sigma, examples) / std::sqrt(static_cast<double>(runs - 1));
}

double alpha_dagger(double gamma, double sigma, Index examples) {
  check_positive("alpha_dagger", "gamma", gamma);
  check_non_negative("alpha_dagger", "sigma", sigma);
  check_at_least("alpha_dagger", "examples", examples, 1);
  if (sigma == 0) return std::numeric_limits<double>::infinity();
  return gamma / sigma * std::sqrt(static_cast<double>(examples) / kTau1);
}

}  // namespace atcav::stats
