#include <cmath>

#include "atcav/theory.h"
#include "core/check.h"
#include "stats/logit_normal.h"
#include "stats/normal.h"

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

// Beyond this the Bernoulli variance underflows and there is no ratio to speak of.
void check_signal(const char* function, double run_signal) {
  check_finite(function, "run_signal", run_signal);
  if (bernoulli(run_signal).variance == 0) {
    fail_argument(function, "run_signal is so large that no run ever changes sign; must be within ±37");
  }
}

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

int alpha_tcav_peaks(const ScoreModel& model, double alpha) {
  check_model("alpha_tcav_peaks", model);
  check_non_negative("alpha_tcav_peaks", "alpha", alpha);
  return bimodal_location(alpha * noise(model)) > alpha * std::abs(model.mu) ? 2 : 1;
}

double bimodal_alpha(const ScoreModel& model) {
  check_model("bimodal_alpha", model);
  return bimodal_scale(signal(model, model.samples)) / noise(model);
}

double variance_ratio(Index runs, double run_signal) {
  check_at_least("variance_ratio", "runs", runs, 2);
  check_signal("variance_ratio", run_signal);
  const double s = static_cast<double>(runs);
  // α*σ/√N and α*μ, written without μ, σ and N.
  const double scale = 1 / std::sqrt(kTau1 * (s - 1));
  const double location = scale * std::sqrt(s) * run_signal;
  return s * logit_normal(location, scale).variance / bernoulli(run_signal).variance;
}

double variance_ratio_approximate(Index runs) {
  check_at_least("variance_ratio_approximate", "runs", runs, 2);
  const double s = static_cast<double>(runs);
  return s * (1 - 1 / std::sqrt(1 + kTau2 / kTau1 / (s - 1)));
}

double variance_ratio_limit(double run_signal) {
  check_signal("variance_ratio_limit", run_signal);
  const double slope = sigmoid_derivative(run_signal / std::sqrt(kTau1));
  return slope * slope / (kTau1 * bernoulli(run_signal).variance);
}

double variance_ratio_approximate_limit() { return kTau2 / (2 * kTau1); }

}  // namespace atcav::stats
