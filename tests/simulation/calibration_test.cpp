// MATH section 4, docs/theory/posterior.md: which of four statements "the concept pushes this input up" are
// honest? Expected calibration error (15 bins) of P(⟨z_j, μ⟩ > 0) over 300 problems of 60 inputs a cell.
#include "atcav/stats/posterior.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "atcav/base/parallel.h"
#include "atcav/span/noise.h"
#include "atcav/span/refit.h"
#include "atcav/stats/score.h"
#include "simulation/problem.h"

namespace atcav::simulation {
namespace {

constexpr Index kProblems = 300;

struct Errors {
  double indicator, effective, flat, empirical_bayes;
};

Errors calibration_errors(double length, Sizes sizes) {
  const Index total = kProblems * kInputs;
  std::array<Vector, 4> stated;
  stated.fill(Vector(total));
  Vector outcome(total);
  parallel_for(kProblems, 0, [&](Index k) {
    Stream stream(4, {kTaskSimulation, static_cast<std::uint64_t>(100 * length),
                      static_cast<std::uint64_t>(sizes.random), static_cast<std::uint64_t>(k)});
    const Problem problem = draw_problem({length, 0.5, Lean::kDrawn}, stream);
    const Sample sample = draw_sample(problem, sizes, stream);
    const Vector s = span::MeanRefitter(sample.random, sample.of_concept, false).full();
    const Vector se = span::ClosedFormNoise(sample.random, sample.of_concept, false).input_errors();
    const auto keep = [k](Vector& all, const Vector& part) { all.segment(k * kInputs, kInputs) = part; };
    keep(stated[0], stats::score_terms(s, stats::indicator_rule()));
    keep(stated[1], stats::score_terms(s, stats::effective_rule()));
    keep(stated[2], stats::flat_posterior(s, se));
    keep(stated[3], stats::empirical_bayes(s, se).probability);
    keep(outcome, (problem.truth.array() > 0).cast<double>());
  });
  const auto error = [&](int kind) {
    return stats::reliability(stated[kind], outcome).expected_calibration_error;
  };
  return {error(0), error(1), error(2), error(3)};
}

struct Cell {
  double length;
  Sizes sizes;
  Errors published;  // MATH section 4
};

class Calibration : public testing::TestWithParam<Cell> {};

// Two cells of 18,000 statements from different problems differ by about 0.01, since the 60 inputs of a
// problem share one CAV and one ξ; 0.03 is the bar.
TEST_P(Calibration, AsPublished) {
  const auto& [length, sizes, published] = GetParam();
  const Errors found = calibration_errors(length, sizes);
  fmt::print(
      "n1, n2 = {}, {}  |mu| = {}:  indicator {:.3f}  effective {:.3f}  flat {:.3f}  empirical Bayes "
      "{:.3f}\n",
      sizes.random, sizes.of_concept, length, found.indicator, found.effective, found.flat,
      found.empirical_bayes);
  EXPECT_LT(found.empirical_bayes, 0.05);
  EXPECT_NEAR(found.empirical_bayes, published.empirical_bayes, 0.03);
  EXPECT_NEAR(found.indicator, published.indicator, 0.03);
  EXPECT_NEAR(found.effective, published.effective, 0.03);
  EXPECT_NEAR(found.flat, published.flat, 0.03);
}

INSTANTIATE_TEST_SUITE_P(Cells, Calibration,
                         testing::Values(Cell{0.4, {50, 50}, {.45, .20, .20, .04}},
                                         Cell{0.8, {50, 50}, {.41, .15, .17, .04}},
                                         Cell{2.0, {50, 50}, {.25, .02, .06, .01}},
                                         Cell{0.4, {1000, 1000}, {.32, .07, .10, .014}},
                                         Cell{0.8, {1000, 1000}, {.21, .04, .04, .008}},
                                         Cell{2.0, {1000, 1000}, {.07, .13, .005, .004}}));

}  // namespace
}  // namespace atcav::simulation
