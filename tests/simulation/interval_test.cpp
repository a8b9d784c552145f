// MATH section 5, docs/theory/interval.md: does the default interval cover the score that examples of this
// number give on average, and is the closed-form error the right size?
//
// A setting is |μ| and the two sizes. Each of its problems has gradients of its own; the expected score and
// the true spread come from many fresh CAVs (draw_sensitivities), the interval from one set of examples.
#include "atcav/stats/interval.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "atcav/base/parallel.h"
#include "atcav/span/noise.h"
#include "atcav/span/refit.h"
#include "atcav/stats/score.h"
#include "simulation/problem.h"

namespace atcav::simulation {
namespace {

constexpr Index kProblems = 400;
constexpr Index kFreshCavs = 200;  // the mean score is then known to 7 % of the error that is judged

struct Found {
  double coverage = 0;  // of the 95 % interval
  double ratio = 0;     // closed-form error over true spread, both as root mean square over problems
};

Vector scores_of(const Matrix& refits, const stats::ScoreRule& rule) {
  Vector scores(refits.rows());
  for (Index k = 0; k < refits.rows(); ++k) scores(k) = stats::score(refits.row(k).transpose(), rule);
  return scores;
}

constexpr std::array<double, 2> kAlphas = {1, 3};

std::array<Found, 2> judge(double length, Sizes sizes) {
  Matrix covered(kProblems, 2);
  Matrix variance(kProblems, 2);
  Matrix squared_error(kProblems, 2);
  parallel_for(kProblems, 0, [&](Index k) {
    Stream stream(5, {kTaskSimulation, static_cast<std::uint64_t>(100 * length),
                      static_cast<std::uint64_t>(sizes.random), static_cast<std::uint64_t>(k)});
    const Problem problem = draw_problem({length, 0.5, Lean::kOne}, stream);
    const Matrix fresh = draw_sensitivities(problem, sizes, kFreshCavs, stream);
    const Sample sample = draw_sample(problem, sizes, stream);
    const Vector s = span::MeanRefitter(sample.random, sample.of_concept, false).full();
    const span::ClosedFormNoise noise(sample.random, sample.of_concept, false);
    for (Index a = 0; a < 2; ++a) {
      const stats::ScoreRule rule = stats::alpha_rule(kAlphas[a]);
      const Vector scores = scores_of(fresh, rule);
      const double error = noise.score_error(rule);
      const stats::Interval interval = stats::normal_interval(stats::score(s, rule), error, 0.95);
      covered(k, a) = interval.low <= scores.mean() && scores.mean() <= interval.high ? 1 : 0;
      variance(k, a) = (scores.array() - scores.mean()).square().sum() / static_cast<double>(kFreshCavs - 1);
      squared_error(k, a) = error * error;
    }
  });
  std::array<Found, 2> found;
  for (Index a = 0; a < 2; ++a) {
    found[a] = {covered.col(a).mean(), std::sqrt(squared_error.col(a).mean() / variance.col(a).mean())};
  }
  return found;
}

struct Place {
  double length;
  Sizes sizes;
};

class DefaultInterval : public testing::TestWithParam<Place> {};

// 400 problems give the coverage to 1.1 % (one standard error), the bar is 92 to 99 %.
TEST_P(DefaultInterval, CoversTheExpectedScore) {
  const auto& [length, sizes] = GetParam();
  const std::array<Found, 2> found = judge(length, sizes);
  fmt::print("|mu| = {:<3} n1, n2 = {:>4}, {:>4}:  coverage {:.1f} % (alpha 1), {:.1f} % (alpha 3);  ",
             length, sizes.random, sizes.of_concept, 100 * found[0].coverage, 100 * found[1].coverage);
  fmt::print("closed-form error / true spread {:.3f}, {:.3f}\n", found[0].ratio, found[1].ratio);
  for (const Found& each : found) {
    EXPECT_GE(each.coverage, 0.92);
    EXPECT_LE(each.coverage, 0.99);
  }
  EXPECT_NEAR(found[0].ratio, 1, 0.1);
}

INSTANTIATE_TEST_SUITE_P(NineSettings, DefaultInterval,
                         testing::Values(Place{0.4, {50, 50}}, Place{0.4, {500, 100}},
                                         Place{0.4, {1000, 1000}}, Place{0.8, {50, 50}},
                                         Place{0.8, {500, 100}}, Place{0.8, {1000, 1000}},
                                         Place{2.0, {50, 50}}, Place{2.0, {500, 100}},
                                         Place{2.0, {1000, 1000}}));

}  // namespace
}  // namespace atcav::simulation
