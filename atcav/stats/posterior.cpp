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

Reliability reliability(const VectorRef& probabilities, const VectorRef& outcomes, int bins) {
  check_at_least("reliability", "bins", bins, 1);
  check_at_least("reliability", "probabilities", probabilities.size(), 1);
  check_same("reliability", "values", "probabilities", probabilities.size(), "outcomes", outcomes.size());
  Reliability result;
  result.bins.resize(static_cast<std::size_t>(bins));
  for (Index i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities(i);
    if (!(p >= 0 && p <= 1)) fail_argument("reliability", "a probability is outside [0, 1]");
    ReliabilityBin& bin =
        result.bins[static_cast<std::size_t>(std::min(bins - 1, static_cast<int>(p * bins)))];
    bin.mean_probability += p;
    bin.share_true += outcomes(i);
    ++bin.count;
  }
  for (ReliabilityBin& bin : result.bins) {
    if (bin.count == 0) continue;
    result.expected_calibration_error +=
        std::abs(bin.mean_probability - bin.share_true) / static_cast<double>(probabilities.size());
    bin.mean_probability /= static_cast<double>(bin.count);
    bin.share_true /= static_cast<double>(bin.count);
  }
  return result;
}

}  // namespace atcav::stats
