#include "atcav/stats/distribution.h"

#include <cmath>

#include "atcav/base/check.h"
#include "atcav/stats/normal.h"

namespace atcav::stats {
namespace {

void check_model(const char* function, const ScoreModel& model) {
  check_finite(function, "mu", model.mu);
  check_positive(function, "sigma", model.sigma);
  check_positive(function, "samples", model.samples);
}

Moments bernoulli(double signal) { return {normal_cdf(signal), normal_cdf(signal) * normal_cdf(-signal)}; }

// √N μ/σ for N samples.
double signal(const ScoreModel& model, double samples) { return std::sqrt(samples) * model.mu / model.sigma; }

double noise(const ScoreModel& model) { return model.sigma / std::sqrt(model.samples); }

}  // namespace

Moments tcav_moments(const ScoreModel& model) {
  check_model("tcav_moments", model);
  return bernoulli(signal(model, model.samples));
}

Moments multi_tcav_moments(const ScoreModel& model, Index runs) {
  check_model("multi_tcav_moments", model);
  check_at_least("multi_tcav_moments", "runs", runs, 1);
  const double s = static_cast<double>(runs);
  const Moments one = bernoulli(signal(model, model.samples / s));
  return {one.mean, one.variance / s};
}

Moments alpha_tcav_moments(const ScoreModel& model, double alpha) {
  check_model("alpha_tcav_moments", model);
  check_non_negative("alpha_tcav_moments", "alpha", alpha);
  return logit_normal(alpha * model.mu, alpha * noise(model));
}

Moments alpha_tcav_moments_approximate(const ScoreModel& model, double alpha) {
  check_model("alpha_tcav_moments_approximate", model);
  check_non_negative("alpha_tcav_moments_approximate", "alpha", alpha);
  return logit_normal_approximate(alpha * model.mu, alpha * noise(model));
}

double model_alpha_star(const ScoreModel& model, Index runs) {
  check_model("model_alpha_star", model);
  check_at_least("model_alpha_star", "runs", runs, 2);
  return 1 / (noise(model) * std::sqrt(kTau1 * static_cast<double>(runs - 1)));
}

double model_alpha_dagger(const ScoreModel& model) {
  check_model("model_alpha_dagger", model);
  return 1 / (noise(model) * std::sqrt(kTau1));
}

}  // namespace atcav::stats
