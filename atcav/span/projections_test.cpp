#include "atcav/span/projections.h"

#include <gtest/gtest.h>

namespace atcav::span {
namespace {

Projections small() {
  Projections p;
  p.values = Matrix(2, 3);
  p.values << 1, 2, 6, /**/ 0, 4, 2;
  p.weights = Vector::Ones(3);
  return p;
}

TEST(Projections, MeanAndVarianceByHand) {
  const Projections p = small();
  EXPECT_EQ(p.count(), 3);
  EXPECT_EQ(p.inputs(), 2);
  EXPECT_DOUBLE_EQ(p.mean()(0), 3);
  EXPECT_DOUBLE_EQ(p.mean()(1), 2);
  EXPECT_DOUBLE_EQ(p.variance()(0), 7);  // (4 + 1 + 9) / 2
  EXPECT_DOUBLE_EQ(p.variance()(1), 4);
  // 1·p0 - 2·p1 = 1, -6, 2: mean -1, squares 4 + 25 + 9
  EXPECT_DOUBLE_EQ(p.variance_along(Vector{{1.0, -2.0}}), 19);
}

TEST(Projections, InputsAreRowsWithTheirWeightsAndCovariance) {
  Projections p = small();
  p.covariance = Matrix{{7.0, 1.0}, {1.0, 4.0}};
  const Projections second = p.inputs(1, 1);
  EXPECT_EQ(second.inputs(), 1);
  EXPECT_DOUBLE_EQ(second.mean()(0), 2);
  EXPECT_DOUBLE_EQ(second.variance()(0), 4);
  EXPECT_DOUBLE_EQ(p.variance_along(Vector{{1.0, -2.0}}), 7 - 4 + 16);
}

TEST(Projections, BlocksCountByTheirWeight) {
  Projections p = small();
  p.weights = Vector{{2.0, 1.0, 1.0}};
  EXPECT_EQ(p.count(), 4);
  EXPECT_DOUBLE_EQ(p.mean()(0), 2.5);
}

}  // namespace
}  // namespace atcav::span
