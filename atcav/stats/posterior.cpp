#include "atcav/stats/posterior.h"

#include <algorithm>
#include <cmath>

#include "atcav/base/check.h"
#include "atcav/stats/normal.h"

namespace atcav::stats {
namespace {

void check_errors(const char* function, const VectorRef& sensitivities, const VectorRef& standard_errors) {
  check_at_least(function, "sensitivities", sensitivities.size(), 1);
  check_same(function, "values", "sensitivities", sensitivities.size(), "standard_errors",
             standard_errors.size());
  check_non_negative(function, "smallest standard error", standard_errors.minCoeff());
}

double sign_probability(double value, double error) {
  if (error > 0) return normal_cdf(value / error);
  return value > 0 ? 1 : value < 0 ? 0 : 0.5;
}

}  // namespace

Vector flat_posterior(const VectorRef& sensitivities, const VectorRef& standard_errors) {
  check_errors("flat_posterior", sensitivities, standard_errors);
  return sensitivities.binaryExpr(standard_errors,
                                  [](double s, double se) { return sign_probability(s, se); });
}

EmpiricalBayes empirical_bayes(const VectorRef& sensitivities, const VectorRef& standard_errors) {
  check_errors("empirical_bayes", sensitivities, standard_errors);
  EmpiricalBayes result;
  result.tau_squared =
      std::max(0.0, (sensitivities.array().square() - standard_errors.array().square()).mean());
  const double tau_squared = result.tau_squared;
  result.probability = sensitivities.binaryExpr(standard_errors, [tau_squared](double s, double se) {
    if (tau_squared == 0) return 0.5;
    return sign_probability(s * std::sqrt(tau_squared / (tau_squared + se * se)), se);
  });
  return result;
}

}  // namespace atcav::stats
