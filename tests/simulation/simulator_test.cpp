// The simulator that all tests here rest on (apps/paper/problem.h).
#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/problem.h"

namespace atcav::paper {
namespace {

// Both ways of drawing S = mean(concept) - mean(random) have the same mean and variance. 4000 draws:
// standard errors are 1.6 % of a standard deviation (means) and 2.2 % (variances); five of them allowed.
TEST(DrawExamples, MeansHaveTheLawOfDrawSensitivities) {
  constexpr Index kDraws = 4000;
  Stream stream(1, {kTaskSimulation});
  const Problem problem = make_problem({.length = 1}, stream);
  const Matrix direct = draw_sensitivities(problem, 7, 4, kDraws, stream);
  Matrix from_examples(kDraws, direct.cols());
  for (Index k = 0; k < kDraws; ++k) {
    const Examples examples = draw_examples(problem, 7, 4, stream);
    from_examples.row(k) = (examples.of_concept.mean() - examples.random.mean()).transpose();
  }
  const Vector truth = problem.truth();
  for (Index j = 0; j < direct.cols(); ++j) {
    const auto variance = [j](const Matrix& x) {
      return (x.col(j).array() - x.col(j).mean()).square().mean();
    };
    const double sd = std::sqrt(variance(direct));
    EXPECT_NEAR(direct.col(j).mean(), truth(j), 0.08 * sd);
    EXPECT_NEAR(from_examples.col(j).mean(), truth(j), 0.08 * sd);
    EXPECT_NEAR(variance(from_examples) / variance(direct), 1, 0.16);
  }
}

}  // namespace
}  // namespace atcav::paper
