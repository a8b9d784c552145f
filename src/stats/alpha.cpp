#include <cmath>
#include <limits>

#include "atcav/score.h"
#include "core/check.h"
#include "stats/normal.h"

namespace atcav::stats {

double root_mean_square(const VectorRef& sensitivities) {
  check_at_least("root_mean_square", "sensitivities", sensitivities.size(), 1);
  return std::sqrt(sensitivities.array().square().mean()) + 1e-8;
}

double spread(const VectorRef& sensitivities) {
  check_at_least("spread", "sensitivities", sensitivities.size(), 1);
  const double sd = std::sqrt((sensitivities.array() - sensitivities.mean()).square().mean());
  return sd <= 1e-14 * sensitivities.cwiseAbs().maxCoeff() ? 0 : sd;
}

double sigma_effective(const VectorRef& sensitivities, Index examples) {
  check_at_least("sigma_effective", "examples", examples, 1);
  return spread(sensitivities) * std::sqrt(static_cast<double>(examples));
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
