#include "atcav/span/projections.h"

#include <gtest/gtest.h>

#include "atcav/base/random.h"

namespace atcav::span {
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

}  // namespace
}  // namespace atcav::span
