#include "fit/mean_gradient.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"

namespace atcav::fit {
namespace {

pass::Projections projections_of(Matrix values) {
  const Index columns = values.cols();
  return {std::move(values), Vector::Ones(columns), {}};
}

// Skewed rows: squares of normal numbers.
Matrix skewed_values(std::uint64_t seed, Index inputs, Index examples) {
  return Stream(seed).normal_matrix(inputs, examples).array().square();
}

TEST(RandomSpread, IsThatOfTheMeanGradient) {
  const Matrix values = skewed_values(1, 5, 400);
  const stats::RandomSpread spread = random_spread(projections_of(values));
  EXPECT_EQ(spread.count, 400);
  const Vector along = values.colwise().mean().transpose();
  const Vector apart = along.array() - along.mean();
  const double variance = apart.squaredNorm() / 399;
  EXPECT_NEAR(spread.variance, variance, 1e-12 * variance);
  const double sd = std::sqrt(apart.squaredNorm() / 400);
  EXPECT_NEAR(spread.skewness, (apart / sd).array().cube().mean(), 1e-12);
  EXPECT_NEAR(spread.kurtosis, (apart / sd).array().pow(4).mean(), 1e-12);
  // Least squares of each input's responses on those of the mean gradient.
  ASSERT_EQ(spread.slopes.size(), 5);
  for (Index j = 0; j < 5; ++j)
    EXPECT_NEAR(spread.slopes(j), values.row(j).dot(apart.transpose()) / apart.squaredNorm(), 1e-12);
  EXPECT_NEAR(spread.slopes.mean(), 1, 1e-12);
}

TEST(RandomSpread, OfMomentsHasTheShapeOfANormalLaw) {
  const Matrix values = skewed_values(2, 4, 256);
  pass::Moments moments(4, 16);
  moments.add(values);
  const stats::RandomSpread blocks = random_spread(moments.result());
  const stats::RandomSpread rows = random_spread(projections_of(values));
  EXPECT_NEAR(blocks.variance, rows.variance, 1e-12 * rows.variance);
  EXPECT_LT((blocks.slopes - rows.slopes).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(blocks.skewness, 0);
  EXPECT_EQ(blocks.kurtosis, 3);
}

TEST(RandomSpread, EqualRowsHaveNoVariance) {
  Matrix values = Matrix::Constant(3, 50, 1e3);
  values.row(0) *= 1 + 1e-9;  // rounding of float products
  values(1, 7) += 1e-5;
  EXPECT_EQ(random_spread(projections_of(values)).variance, 0);
}

// Pairs whose difference is δ = c·z² have -E δ(z² - 1) = -c(E z⁴ - 1)·var(z) in deviations over sd(z).
TEST(PairedSpread, MeasuresHowDifferencesGoWithSquares) {
  const Matrix z = Stream(3).normal_matrix(1, 2000);
  const Matrix concept_values = z.array() + 0.5 * z.array().square();
  const stats::RandomSpread spread = paired_spread(projections_of(z), projections_of(concept_values));
  const Vector apart = z.row(0).transpose().array() - z.mean();
  const double second = apart.squaredNorm() / 2000;
  const Vector difference = 0.5 * z.row(0).transpose().array().square();
  const double expected =
      -(difference.array() * (apart.array().square() / second - 1)).mean() / std::sqrt(second);
  EXPECT_NEAR(spread.of_pairs.value(), expected, 1e-12);
  EXPECT_NEAR(spread.of_pairs.value(), -1, 0.25) << "-0.5·2 of a normal law, 5 standard errors";
}

}  // namespace
}  // namespace atcav::fit
