#include "atcav/stats/variance_ratio.h"

#include <cmath>

#include "atcav/base/check.h"
#include "atcav/stats/logit_normal.h"
#include "atcav/stats/normal.h"

namespace atcav::stats {
namespace {

double bernoulli_variance(double signal) { return normal_cdf(signal) * normal_cdf(-signal); }

// Beyond this the Bernoulli variance underflows and there is no ratio to speak of.
void check_signal(const char* function, double run_signal) {
  check_finite(function, "run_signal", run_signal);
  if (bernoulli_variance(run_signal) == 0) {
    fail_argument(function, "run_signal is so large that no run ever changes sign; must be within ±37");
  }
}

}  // namespace

double variance_ratio(Index runs, double run_signal) {
  check_at_least("variance_ratio", "runs", runs, 2);
  check_signal("variance_ratio", run_signal);
  const double s = static_cast<double>(runs);
  // α*σ/√N and α*μ, written without μ, σ and N.
  const double scale = 1 / std::sqrt(kTau1 * (s - 1));
  const double location = scale * std::sqrt(s) * run_signal;
  return s * logit_normal(location, scale).variance / bernoulli_variance(run_signal);
}

double variance_ratio_approximate(Index runs) {
  check_at_least("variance_ratio_approximate", "runs", runs, 2);
  const double s = static_cast<double>(runs);
  return s * (1 - 1 / std::sqrt(1 + kTau2 / kTau1 / (s - 1)));
}

double variance_ratio_limit(double run_signal) {
  check_signal("variance_ratio_limit", run_signal);
  const double slope = sigmoid_derivative(run_signal / std::sqrt(kTau1));
  return slope * slope / (kTau1 * bernoulli_variance(run_signal));
}

double variance_ratio_approximate_limit() { return kTau2 / (2 * kTau1); }

}  // namespace atcav::stats
