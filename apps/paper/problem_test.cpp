#include "apps/paper/problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/agreement.h"

namespace atcav::paper {
namespace {

TEST(Problem, DrawnSensitivitiesHaveTheExactErrors) {
  Stream stream(1);
  const Problem problem = make_problem({.dimension = 30, .inputs = 3, .length = 1}, stream);
  const Matrix draws = draw_sensitivities(problem, 20, 40, 20000, stream);
  const Vector errors = sensitivity_errors(problem, 20, 40);
  for (Index j = 0; j < 3; ++j) {
    const SampleMoments found = sample_moments(Vector(draws.col(j)));
    EXPECT_NEAR(found.mean.value, problem.truth()(j), 5 * found.mean.error);
    EXPECT_NEAR(found.variance.value, errors(j) * errors(j), 5 * found.variance.error);
  }
}

TEST(Problem, ExamplesEstimateTheTruth) {
  Stream stream(2);
  const Problem problem = make_problem({.dimension = 30, .inputs = 3, .length = 1}, stream);
  const Examples examples = draw_examples(problem, 4000, 4000, stream);
  const Vector found = examples.of_concept.mean() - examples.random.mean();
  EXPECT_LT(
      (found - problem.truth()).cwiseQuotient(sensitivity_errors(problem, 4000, 4000)).cwiseAbs().maxCoeff(),
      5);
}

TEST(Problem, GradientsAreAsAlikeAsAskedFor) {
  Stream stream(3);
  const Problem problem = make_problem({.dimension = 5000, .inputs = 2, .length = 0, .alike = 0.4}, stream);
  EXPECT_NEAR(problem.gradients.row(0).normalized().dot(problem.gradients.row(1).normalized()), 0.4, 0.05);
}

TEST(Problem, NullHasNoTruth) {
  Stream stream(4);
  EXPECT_EQ(make_problem({.null = true}, stream).truth().norm(), 0);
}

}  // namespace
}  // namespace atcav::paper
