#include "atcav/span/extrapolation.h"

#include <gtest/gtest.h>

#include "atcav/stats/score.h"

namespace atcav::span {
namespace {

TEST(Extrapolate, ByHandAndCut) {
  const Vector full = Eigen::Vector2d(1, 0.2);
  Matrix halves(2, 2);
  halves << 1, -0.2, 0.5, 0.1;
  const stats::ScoreRule rule = stats::alpha_rule(1);
  const double mean =
      (stats::score(halves.row(0).transpose(), rule) + stats::score(halves.row(1).transpose(), rule)) / 2;
  EXPECT_NEAR(extrapolate(full, halves, rule), 2 * stats::score(full, rule) - mean, 1e-15);
  EXPECT_EQ(extrapolate(Vector::Ones(2), -Matrix::Ones(1, 2), stats::indicator_rule()), 1);
}

}  // namespace
}  // namespace atcav::span
