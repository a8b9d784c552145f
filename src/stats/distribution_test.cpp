#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "atcav/random.h"
#include "atcav/theory.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

constexpr ScoreModel kModel{.mu = 0.06, .sigma = 1.5, .samples = 500};
constexpr Index kRuns = 10;

// Mean and variance of `score` over draws of sensitivities S under n samples.
Moments simulate(double samples, const std::function<double(double)>& score) {
  constexpr int kDraws = 200000;
  Stream stream(1, {kTaskSimulation});
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = score(kModel.mu + kModel.sigma / std::sqrt(samples) * stream.normal());
    sum += value;
    squares += value * value;
  }
  const double mean = sum / kDraws;
  return {mean, squares / kDraws - mean * mean};
}

// Scores lie in [0, 1]: the standard error of a mean of 200,000 is at most 0.0011, of a variance 0.0006.
void expect_close(const Moments& theory, const Moments& simulated) {
  EXPECT_NEAR(theory.mean, simulated.mean, 0.004);
  EXPECT_NEAR(theory.variance, simulated.variance, 0.002);
}

TEST(TcavMoments, MatchSimulation) {
  expect_close(tcav_moments(kModel), simulate(kModel.samples, [](double s) { return s > 0 ? 1.0 : 0.0; }));
}

TEST(TcavMoments, KnownCases) {
  // Paper: mean ½ and variance ¼ at μ = 0 for any N; certainty as N grows, on both sides (Φ → 0, not -1).
  EXPECT_EQ(tcav_moments({.mu = 0, .sigma = 3, .samples = 77}).mean, 0.5);
  EXPECT_EQ(tcav_moments({.mu = 0, .sigma = 3, .samples = 77}).variance, 0.25);
  EXPECT_EQ(tcav_moments({.mu = -1, .sigma = 1, .samples = 1e6}).mean, 0);
  EXPECT_EQ(tcav_moments({.mu = 1, .sigma = 1, .samples = 1e6}).mean, 1);
}

TEST(MultiTcavMoments, MatchSimulationOfOneRun) {
  const Moments one = simulate(kModel.samples / kRuns, [](double s) { return s > 0 ? 1.0 : 0.0; });
  const Moments multi = multi_tcav_moments(kModel, kRuns);
  expect_close({multi.mean, multi.variance * kRuns}, one);
}

TEST(MultiTcavMoments, OneRunIsTcav) {
  EXPECT_EQ(multi_tcav_moments(kModel, 1).mean, tcav_moments(kModel).mean);
  EXPECT_EQ(multi_tcav_moments(kModel, 1).variance, tcav_moments(kModel).variance);
  EXPECT_THROW(multi_tcav_moments(kModel, 0), std::invalid_argument);
}

TEST(AlphaTcavMoments, ExactMatchesSimulation) {
  for (const double alpha : {1.0, 10.0, model_alpha_star(kModel, kRuns), model_alpha_dagger(kModel)}) {
    expect_close(alpha_tcav_moments(kModel, alpha),
                 simulate(kModel.samples, [alpha](double s) { return sigmoid(alpha * s); }));
  }
}

TEST(AlphaTcavMoments, LimitsInAlpha) {
  EXPECT_EQ(alpha_tcav_moments(kModel, 0).mean, 0.5);
  EXPECT_EQ(alpha_tcav_moments(kModel, 0).variance, 0);
  EXPECT_NEAR(alpha_tcav_moments(kModel, 1e9).mean, tcav_moments(kModel).mean, 1e-9);
  EXPECT_NEAR(alpha_tcav_moments(kModel, 1e9).variance, tcav_moments(kModel).variance, 1e-7);
  EXPECT_THROW(alpha_tcav_moments(kModel, -1), std::invalid_argument);
}

// Paper, Table "TCAV_distributions", written out once more.
TEST(AlphaTcavMomentsApproximate, IsThePapersFormula) {
  const double alpha = 4;
  const double z = kModel.sigma * kModel.sigma / kModel.samples;
  const double m = 1 / (1 + std::exp(-alpha * kModel.mu / std::sqrt(1 + M_PI / 8 * alpha * alpha * z)));
  const Moments rough = alpha_tcav_moments_approximate(kModel, alpha);
  EXPECT_NEAR(rough.mean, m, 1e-15);
  EXPECT_NEAR(rough.variance, m * (1 - m) * (1 - 1 / std::sqrt(1 + 0.358 * alpha * alpha * z)), 1e-15);
}

TEST(ModelAlpha, RatiosArePublished) {
  // Paper, Table "alpha_star_values": 2.35, 1.18, 0.78 for s = 2, 5, 10; α†/α* = √(s - 1).
  const double two = model_alpha_star(kModel, 2);
  EXPECT_NEAR(model_alpha_star(kModel, 5) / two, 1.0 / 2, 1e-15);
  EXPECT_NEAR(model_alpha_star(kModel, 10) / two, 1.0 / 3, 1e-15);
  EXPECT_NEAR(model_alpha_dagger(kModel) / model_alpha_star(kModel, 10), 3, 1e-14);
  const double n = kModel.samples / 10;
  EXPECT_NEAR(model_alpha_star(kModel, 10), std::sqrt(n / (M_PI / 8 * 0.9)) / kModel.sigma, 1e-12);
  EXPECT_THROW(model_alpha_star(kModel, 1), std::invalid_argument);
}

// What α* is for: the mean of Multi-TCAV, up to the sigmoid–probit approximation (0.018 at most).
TEST(ModelAlpha, StarImitatesMultiTcav) {
  for (const double mu : {-0.3, -0.05, 0.0, 0.1, 1.0}) {
    const ScoreModel model{.mu = mu, .sigma = 1, .samples = 200};
    EXPECT_NEAR(alpha_tcav_moments(model, model_alpha_star(model, 10)).mean,
                multi_tcav_moments(model, 10).mean, 0.018);
  }
}

TEST(ScoreModel, BadValuesAreNamed) {
  EXPECT_THROW(tcav_moments({.mu = 0, .sigma = 0, .samples = 1}), std::invalid_argument);
  EXPECT_THROW(tcav_moments({.mu = NAN, .sigma = 1, .samples = 1}), std::invalid_argument);
  EXPECT_THROW(model_alpha_dagger({.mu = 0, .sigma = 1, .samples = 0}), std::invalid_argument);
}

// Published numbers, four decimals.
TEST(VarianceRatioApproximate, KnownAnswers) {
  EXPECT_NEAR(variance_ratio_approximate(2), 0.5535, 5e-5);
  EXPECT_NEAR(variance_ratio_approximate(10), 0.4710, 5e-5);
  EXPECT_NEAR(variance_ratio_approximate_limit(), 0.4558, 5e-5);
  EXPECT_NEAR(variance_ratio_approximate(100000), variance_ratio_approximate_limit(), 1e-5);
}

TEST(VarianceRatio, KnownAnswersAtZero) {
  EXPECT_NEAR(variance_ratio(2), 0.6281, 5e-5);
  EXPECT_NEAR(variance_ratio(10), 0.6234, 5e-5);
  EXPECT_NEAR(variance_ratio(50), 0.6333, 5e-5);
  EXPECT_NEAR(variance_ratio_limit(), 2 / std::numbers::pi, 1e-15);
}

TEST(VarianceRatio, TendsToItsLimit) {
  for (const double signal : {0.0, 0.5, -2.0})
    EXPECT_NEAR(variance_ratio(1000000, signal), variance_ratio_limit(signal), 1e-5);
}

TEST(VarianceRatio, IsTheRatioOfTheMoments) {
  const ScoreModel model{.mu = 0.2, .sigma = 1.5, .samples = 300};
  const Index runs = 6;
  const double direct = alpha_tcav_moments(model, model_alpha_star(model, runs)).variance /
                        multi_tcav_moments(model, runs).variance;
  EXPECT_NEAR(variance_ratio(runs, std::sqrt(50.0) * 0.2 / 1.5), direct, 1e-12);
}

TEST(VarianceRatio, FallsBelowTheApproximationAwayFromZero) {
  double last = variance_ratio(10, 0);
  for (const double signal : {0.5, 1.0, 2.0, 3.0}) {
    const double now = variance_ratio(10, signal);
    EXPECT_LT(now, last);
    EXPECT_NEAR(now, variance_ratio(10, -signal), 1e-12);
    last = now;
  }
  EXPECT_LT(last, variance_ratio_approximate(10));
}

TEST(VarianceRatio, RefusesBadArguments) {
  EXPECT_THROW(variance_ratio(1), std::invalid_argument);
  EXPECT_THROW(variance_ratio_approximate(1), std::invalid_argument);
  EXPECT_THROW(variance_ratio(5, NAN), std::invalid_argument);
  EXPECT_THROW(variance_ratio_limit(100), std::invalid_argument);
}

TEST(AlphaTcavPeaks, AlphaDaggerHasTwoOnlyNearNeutrality) {
  const auto model = [](double u) { return ScoreModel{.mu = u, .sigma = 1, .samples = 1}; };
  for (const auto& [u, peaks] : {std::pair{0.0, 2}, {0.1, 2}, {-0.1, 2}, {0.12, 1}, {1.0, 1}})
    EXPECT_EQ(alpha_tcav_peaks(model(u), model_alpha_dagger(model(u))), peaks) << u;
  EXPECT_EQ(alpha_tcav_peaks(model(0), model_alpha_star(model(0), 2)), 2);
  EXPECT_EQ(alpha_tcav_peaks(model(0), model_alpha_star(model(0), 3)), 1);
}

TEST(BimodalAlpha, IsWhereTheSecondPeakAppears) {
  for (const ScoreModel& model : {kModel, ScoreModel{.mu = 0, .sigma = 2, .samples = 50}}) {
    const double alpha = bimodal_alpha(model);
    EXPECT_EQ(alpha_tcav_peaks(model, 0.999 * alpha), 1);
    EXPECT_EQ(alpha_tcav_peaks(model, 1.001 * alpha), 2);
  }
}

}  // namespace

}  // namespace atcav::stats
