#include "atcav/stats/svm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "atcav/base/random.h"

namespace atcav::stats {
namespace {

// Two points at distance 2: the widest margin is their perpendicular bisector, w = (0, 1).
TEST(FitSvm, TwoPoints) {
  const Matrix x = (Matrix(2, 2) << 3, 4, 3, 6).finished();
  const Cav cav = fit_svm(x, Eigen::Vector2d(-1, 1), 100);
  EXPECT_NEAR(cav.direction(0), 0, 1e-6);
  EXPECT_NEAR(cav.direction(1), 1, 1e-6);
  EXPECT_NEAR(cav.intercept, -5, 1e-5);
}

// The sign must not depend on which label comes first.
TEST(FitSvm, LabelOrderDoesNotTurnTheDirection) {
  const Matrix x = (Matrix(2, 2) << 3, 6, 3, 4).finished();
  const Cav cav = fit_svm(x, Eigen::Vector2d(1, -1), 100);
  EXPECT_NEAR(cav.direction(1), 1, 1e-6);
  EXPECT_NEAR(cav.intercept, -5, 1e-5);
}

double objective(const Matrix& x, const Vector& y, const Vector& w, double b, double cost) {
  const Vector f = (x * w).array() + b;
  return 0.5 * w.squaredNorm() + cost * (1 - y.array() * f.array()).max(0).sum();
}

TEST(FitSvm, NoNeighbourIsBetter) {
  Matrix x = Stream(1).normal_matrix(60, 10);
  Vector y = Vector::Ones(60);
  y.head(35).setConstant(-1);
  x.bottomRows(25).array() += 0.5;
  const Cav cav = fit_svm(x, y, 0.7);
  const double best = objective(x, y, cav.direction, cav.intercept, 0.7);
  Stream stream(2);
  for (int i = 0; i < 200; ++i) {
    const Vector step = 1e-2 * stream.normal_matrix(10, 1);
    EXPECT_GT(objective(x, y, cav.direction + step, cav.intercept + 1e-2 * stream.normal(), 0.7),
              best - 1e-6);
  }
}

}  // namespace
}  // namespace atcav::stats
