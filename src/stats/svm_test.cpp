#include "stats/svm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "atcav/random.h"

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

// 140 rows against 60 from the same place: always saying "random" costs 2·60·C, and every w costs more. What
// the solver's tolerance leaves is not a direction.
TEST(FitSvm, IsExactlyZeroWhenNoDirectionHelps) {
  const Matrix x = Stream(3).normal_matrix(200, 5);
  Vector y = Vector::Ones(200);
  y.head(140).setConstant(-1);
  for (const double cost : {0.01, 1.0, 100.0}) {
    const Cav cav = fit_svm(x, y, cost);
    EXPECT_TRUE(cav.converged);
    EXPECT_EQ(cav.direction, Vector::Zero(5));
    EXPECT_EQ(cav.intercept, -1);
    Stream stream(4);
    for (int i = 0; i < 100; ++i) {
      const Vector step = 1e-3 * stream.normal_matrix(5, 1);
      EXPECT_GT(objective(x, y, step, -1 + 1e-3 * stream.normal(), cost), 120 * cost);
    }
  }
}

// Costs and sizes of data at which LIBSVM stalls, few rows and many, separable and not. Converged means that
// the dual's value is within 1e-6 of the primal's, which no wrong answer can fake.
TEST(FitSvm, ConvergesForEveryCostAndScale) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{100, 10}, {60, 60}, {40, 200}, {4, 3}}) {
    for (const double cost : {1e-3, 1.0, 1e3}) {
      for (const double scale : {1e-3, 1.0, 30.0}) {
        Matrix x = scale * Stream(5).normal_matrix(rows, columns);
        Vector y = Vector::Ones(rows);
        y.head(rows / 2).setConstant(-1);
        x.bottomRows(rows - rows / 2).array() += 0.2 * scale;
        const Cav cav = fit_svm(x.array() + 10 * scale, y, cost);
        EXPECT_TRUE(cav.converged) << rows << " x " << columns << ", cost " << cost << ", scale " << scale;
      }
    }
  }
}

// Scaling the rows by k and the cost by 1/k² scales w by 1/k.
TEST(FitSvm, ScalesWithTheRows) {
  Matrix x = Stream(6).normal_matrix(50, 8);
  Vector y = Vector::Ones(50);
  y.head(25).setConstant(-1);
  x.bottomRows(25).array() += 0.3;
  const Vector w = fit_svm(x, y, 0.5).direction;
  const Vector scaled = fit_svm(100 * x, y, 0.5e-4).direction;
  EXPECT_LT((100 * scaled - w).norm(), 1e-7 * w.norm());
}

}  // namespace
}  // namespace atcav::stats
