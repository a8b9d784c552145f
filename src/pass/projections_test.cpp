#include "pass/projections.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav::pass {
namespace {

TEST(Projections, MomentsByHand) {
  const Projections set{(Matrix(2, 3) << 1, 2, 3, 0, 0, 6).finished(), Vector::Ones(3), {}};
  EXPECT_EQ(set.count(), 3);
  EXPECT_EQ(set.mean(), Eigen::Vector2d(2, 2));
  EXPECT_EQ(set.variance(), Eigen::Vector2d(1, 12));
  // (1, 2, 9) has mean 4 and variance (9 + 4 + 25)/2.
  EXPECT_DOUBLE_EQ(set.variance_along(Eigen::Vector2d(1, 1)), 19);
}

TEST(Projections, CovarianceTellsTheSameAsRows) {
  const Projections rows{Stream(1).normal_matrix(4, 30), Vector::Ones(30), {}};
  const Matrix centred = rows.values.colwise() - rows.mean();
  const Projections blocks{rows.mean(), Vector::Constant(1, 30), Matrix(centred * centred.transpose() / 29)};
  const Vector direction = Stream(2).normal_matrix(4, 1);
  EXPECT_TRUE(blocks.variance().isApprox(rows.variance(), 1e-12));
  EXPECT_NEAR(blocks.variance_along(direction), rows.variance_along(direction), 1e-12);
  EXPECT_EQ(blocks.count(), 30);
  EXPECT_NEAR(blocks.inputs(1, 2).variance_along(direction.segment(1, 2)),
              rows.inputs(1, 2).variance_along(direction.segment(1, 2)), 1e-12);
}

// A million standard deviations from the centre: the naive Σp² - n·mean² would keep four digits.
TEST(Moments, EqualTheMomentsOfAllExamplesFarFromTheCentre) {
  Stream stream(5);
  const Matrix all = stream.normal_matrix(4, 103).array() + 1e6;
  Moments moments(4, 10);
  for (Index first = 0; first < 103; first += 25) {
    moments.add(all.middleCols(first, std::min<Index>(25, 103 - first)));
  }
  const Projections result = moments.result();

  const Projections full{all, Vector::Ones(103), {}};
  EXPECT_EQ(result.count(), 103);
  EXPECT_EQ(result.weights(2), 11);
  EXPECT_EQ(result.weights(3), 10);
  EXPECT_LT((result.mean() - full.mean()).norm(), 1e-14 * full.mean().norm());
  EXPECT_LT((result.variance() - full.variance()).norm(), 1e-9 * full.variance().norm());
  const Vector direction = stream.normal_matrix(4, 1);
  EXPECT_NEAR(result.variance_along(direction) / full.variance_along(direction), 1, 1e-9);

  Vector block = Vector::Zero(4);
  for (Index i = 3; i < 103; i += 10) block += all.col(i) / 10;
  EXPECT_LT((result.values.col(3) - block).norm(), 1e-14 * block.norm());
}

// One dimension: weights that add up to 0 along the gradients leave nothing, and rounding may leave less.
TEST(Moments, AVarianceIsNeverBelowZero) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Stream stream(seed);
    const Vector gradients = stream.normal_matrix(5, 1);
    Moments moments(5, 4);
    moments.add(gradients * stream.normal_matrix(1, 64));
    Vector weights = stream.normal_matrix(5, 1);
    weights -= weights.dot(gradients) / gradients.squaredNorm() * gradients;
    EXPECT_GE(moments.result().variance_along(weights), 0) << seed;
  }
}

TEST(Moments, OneExampleHasNoVariance) {
  Moments moments(2, 1);
  moments.add(Matrix::Constant(2, 1, 3.0));
  EXPECT_EQ(moments.result().variance(), Vector::Zero(2));
  EXPECT_EQ(moments.result().mean(), Vector::Constant(2, 3.0));
}

}  // namespace

}  // namespace atcav::pass
