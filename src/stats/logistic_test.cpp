#include "stats/logistic.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

// The optimum is where the gradient vanishes: w = C Σ y s(-y f) x, Σ y s(-y f) = 0.
void expect_stationary(const Matrix& x, const Vector& y, double cost, double tolerance) {
  const Cav cav = fit_logistic(x, y, cost);
  EXPECT_TRUE(cav.converged);
  const Vector f = (x * cav.direction).array() + cav.intercept;
  const Vector pull =
      y.binaryExpr(f, [](double label, double margin) { return label * sigmoid(-label * margin); });
  EXPECT_LT((cav.direction - cost * x.transpose() * pull).norm(), tolerance * (1 + cav.direction.norm()));
  EXPECT_LT(std::abs(pull.sum()), tolerance);
}

Vector labels(Index n1, Index n2) {
  Vector y = Vector::Ones(n1 + n2);
  y.head(n1).setConstant(-1);
  return y;
}

TEST(FitLogistic, StationaryTallWideAndUnequal) {
  Matrix tall = Stream(1).normal_matrix(200, 5);
  tall.bottomRows(50).array() += 0.4;
  expect_stationary(tall, labels(150, 50), 1, 1e-6);
  expect_stationary(Stream(2).normal_matrix(30, 400), labels(20, 10), 1, 1e-6);
}

TEST(FitLogistic, StationaryAtExtremeScales) {
  Matrix x = Stream(3).normal_matrix(40, 60);
  x.bottomRows(20).array() += 0.3;
  // Means a thousand times the spread, as after a ReLU; a penalty of almost nothing; of almost all.
  expect_stationary(x.array() + 1000, labels(20, 20), 1, 1e-4);
  expect_stationary(x, labels(20, 20), 1e4, 1e-3);
  expect_stationary(x, labels(20, 20), 1e-4, 1e-8);
}

TEST(FitLogistic, OneDimensionWithoutSignalIsZero) {
  const Matrix x = (Matrix(4, 1) << -1, 1, -1, 1).finished();
  const Cav cav = fit_logistic(x, labels(2, 2), 1);
  EXPECT_NEAR(cav.direction(0), 0, 1e-12);
  EXPECT_NEAR(cav.intercept, 0, 1e-12);
}

}  // namespace
}  // namespace atcav::stats
