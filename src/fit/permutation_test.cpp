#include "fit/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/random.h"

namespace atcav::fit {
namespace {

pass::Projections as_moments(const pass::Projections& rows) {
  const Matrix centred = rows.values.colwise() - rows.mean();
  const auto n = static_cast<double>(rows.columns());
  return {rows.mean(), Vector::Constant(1, n), Matrix(centred * centred.transpose() / (n - 1))};
}

TEST(PermutationP, StrongSignalGivesTheSmallestValue) {
  const pass::Projections random{Stream(1).normal_matrix(8, 60), Vector::Ones(60), {}};
  const pass::Projections positive{Matrix(Stream(2).normal_matrix(8, 40).array() + 3), Vector::Ones(40), {}};
  const MeanRefitter refitter(random, positive, false);
  EXPECT_DOUBLE_EQ(permutation_p(refitter, stats::alpha_rule(3), 99, {}), 0.01);
}

// Gradients that all point the same way make every direction score near 0 or 1 by itself; what tells a
// concept from chance is how large its sensitivities are.
TEST(PermutationP, StandsOutWhereAllDirectionsSaturate) {
  Stream stream(6);
  pass::Projections random{Matrix(8, 60), Vector::Ones(60), {}};
  pass::Projections positive{Matrix(8, 40), Vector::Ones(40), {}};
  for (Index i = 0; i < 60; ++i) random.values.col(i).setConstant(stream.normal());
  for (Index i = 0; i < 40; ++i) positive.values.col(i).setConstant(1.5 + stream.normal());
  for (Index j = 0; j < 8; ++j) {  // the inputs differ by a hundredth
    random.values.row(j) *= 1 + 0.01 * static_cast<double>(j);
    positive.values.row(j) *= 1 + 0.01 * static_cast<double>(j);
  }
  const MeanRefitter refitter(random, positive, false);
  EXPECT_DOUBLE_EQ(permutation_p(refitter, stats::effective_rule(), 99, {}), 0.01);
}

TEST(PermutationP, DoesNotDependOnThreads) {
  const pass::Projections random{Stream(1).normal_matrix(8, 60), Vector::Ones(60), {}};
  const pass::Projections positive{
      Matrix(Stream(2).normal_matrix(8, 40).array() + 0.3), Vector::Ones(40), {}};
  const MeanRefitter means(random, positive, false);
  const auto p = [&](int threads) {
    return permutation_p(means, stats::effective_rule(), 199, {.seed = 7, .key = 3, .threads = threads});
  };
  EXPECT_GT(p(1), 0.005);
  EXPECT_EQ(p(1), p(3));
}

// All scores tie when nothing varies: no evidence, p = 1.
TEST(PermutationP, TiesCountAsExtreme) {
  const pass::Projections set{Matrix::Ones(3, 10), Vector::Ones(10), {}};
  EXPECT_EQ(permutation_p(MeanRefitter(set, set, false), stats::effective_rule(), 50, {}), 1);
}

// With many rows the normal version must agree with the real one: 999 draws each, p near 0.1–0.5,
// standard errors of the two shares about 0.015 each.
TEST(GaussianPermutationP, AgreesWithPermutationsOfManyRows) {
  for (const std::uint64_t seed : {3, 4, 5}) {
    const pass::Projections random{Stream(seed).normal_matrix(6, 2000), Vector::Ones(2000), {}};
    const pass::Projections positive{
        Matrix(Stream(seed + 100).normal_matrix(6, 1000).array() + 0.03), Vector::Ones(1000), {}};
    const double rows = permutation_p(MeanRefitter(random, positive, false), stats::alpha_rule(1), 999, {});
    const double normal = gaussian_permutation_p(as_moments(random), as_moments(positive), false,
                                                 stats::alpha_rule(1), 999, {});
    EXPECT_NEAR(rows, normal, 0.08);
  }
}

// With an analytic σ, which shrinks by the same factor, fast is pattern: the p-values are the same.
TEST(GaussianPermutationP, KnowsTheScaleOfFast) {
  const pass::Projections random = as_moments({Stream(8).normal_matrix(6, 300), Vector::Ones(300), {}});
  const pass::Projections positive = as_moments({Stream(9).normal_matrix(6, 60), Vector::Ones(60), {}});
  const auto p = [&](bool fast) {
    const Vector errors = Vector::Constant(6, (fast ? 300.0 / 360 : 1) * 0.14);
    return gaussian_permutation_p(random, positive, fast, stats::analytic_rule(errors), 199, {});
  };
  EXPECT_EQ(p(true), p(false));
}

TEST(GaussianPermutationP, NeedsACovariance) {
  const pass::Projections set{Matrix::Ones(3, 10), Vector::Ones(10), {}};
  EXPECT_THROW(gaussian_permutation_p(set, set, false, stats::alpha_rule(1), 9, {}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::fit
