#include "simulation/problem.h"

#include <gtest/gtest.h>

namespace atcav::simulation {
namespace {

// Both ways of drawing S = mean(concept) - mean(random) have the same mean and covariance. 4000 draws:
// standard errors are 1.6 % of a standard deviation (means) and 2.2 % (variances); five of them allowed.
TEST(DrawSample, MeansHaveTheLawOfDrawSensitivities) {
  constexpr Index kDraws = 4000;
  const Sizes sizes{7, 4};
  Stream stream(1, {kTaskSimulation});
  const Problem problem = draw_problem({.length = 1}, stream);
  const Matrix direct = draw_sensitivities(problem, sizes, kDraws, stream);
  Matrix from_samples(kDraws, kInputs);
  for (Index k = 0; k < kDraws; ++k) {
    const Sample sample = draw_sample(problem, sizes, stream);
    from_samples.row(k) = (sample.of_concept.mean() - sample.random.mean()).transpose();
  }
  for (Index j = 0; j < kInputs; ++j) {
    const auto variance = [j](const Matrix& x) {
      return (x.col(j).array() - x.col(j).mean()).square().mean();
    };
    const double sd = std::sqrt(variance(direct));
    EXPECT_NEAR(direct.col(j).mean(), problem.truth(j), 0.08 * sd);
    EXPECT_NEAR(from_samples.col(j).mean(), problem.truth(j), 0.08 * sd);
    EXPECT_NEAR(variance(from_samples) / variance(direct), 1, 0.16);
  }
}

}  // namespace
}  // namespace atcav::simulation
