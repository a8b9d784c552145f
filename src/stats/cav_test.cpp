#include "atcav/cav.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "atcav/random.h"
#include "stats/testing_fits.h"

namespace atcav::stats {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr CavMethod kMethods[] = {CavMethod::kPattern, CavMethod::kFast, CavMethod::kRidge,
                                  CavMethod::kLogistic, CavMethod::kSvm};

CavOptions with(CavMethod method) {
  CavOptions options;
  options.method = method;
  return options;
}

// FastCAV of four points, labels 0, 0, 1, 1.
TEST(FitCav, FastKnownAnswer) {
  const Matrix random = (Matrix(2, 2) << -1, -1, -2, -2).finished();
  const Matrix positive = (Matrix(2, 2) << 1, 1, 2, 2).finished();
  EXPECT_TRUE(fit_cav(random, positive, with(CavMethod::kFast)).direction.isApprox(Vector::Constant(2, 1.5)));
}

TEST(FitCav, FastOfEqualMeansIsZero) {
  const Matrix set = (Matrix(2, 2) << -1, 1, 1, -1).finished();
  EXPECT_EQ(fit_cav(set, set, with(CavMethod::kFast)).direction, Vector::Zero(2));
}

// 3 against 2 points, pattern (5, 1.5) means fast (3, 0.9).
TEST(FitCav, FastIsPatternTimesShareOfRandom) {
  const Matrix random = (Matrix(3, 2) << 0, 0, 1, 1, 2, 2).finished();
  const Matrix positive = (Matrix(2, 2) << 5, 2, 7, 3).finished();
  EXPECT_TRUE(fit_cav(random, positive, {}).direction.isApprox(Eigen::Vector2d(5, 1.5)));
  EXPECT_TRUE(fit_cav(random, positive, with(CavMethod::kFast)).direction.isApprox(Eigen::Vector2d(3, 0.9)));
}

TEST(FitCav, RidgeSolvesItsEquationWideAndTall) {
  for (const Index d : {3, 40}) {
    const Matrix random = Stream(1).normal_matrix(12, d);
    const Matrix positive = Stream(2).normal_matrix(8, d).array() + 0.5;
    CavOptions options = with(CavMethod::kRidge);
    options.lambda = 0.3;
    options.centred = false;
    const Vector w = fit_cav(random, positive, options).direction;
    Matrix x(20, d);
    x << random, positive;
    Vector y = Vector::Ones(20);
    y.head(12).setConstant(-1);
    // (XᵀX/n + λI) w = Xᵀy/√n
    const Vector left = x.transpose() * (x * w) / 20 + 0.3 * w;
    EXPECT_LT((left - x.transpose() * y / std::sqrt(20.0)).norm(),
              1e-7 * left.norm());  // its tolerance, 3e-9 of w
  }
}

// With a large penalty ridge tends to Xᵀy: for equal sizes, pattern up to length (paper, after Cor. 1).
TEST(FitCav, RidgeWithLargePenaltyPointsAsPattern) {
  const Matrix random = Stream(3).normal_matrix(10, 30);
  const Matrix positive = Stream(4).normal_matrix(10, 30);
  CavOptions options = with(CavMethod::kRidge);
  options.lambda = 1e8;
  const Vector ridge = fit_cav(random, positive, options).direction.normalized();
  EXPECT_LT((ridge - fit_cav(random, positive, {}).direction.normalized()).norm(), 1e-6);
}

// The shortest of the directions that fit best, by Eigen's pseudo-inverse.
TEST(FitCav, RidgeWithoutPenaltyIsTheLimit) {
  for (const Index columns : {6, 20, 60}) {
    Matrix x = Stream(5).normal_matrix(20, columns);
    x.row(3) = x.row(2);
    Vector y = Vector::Ones(20);
    y.head(12).setConstant(-1);
    for (const bool centred : {false, true}) {
      CavOptions options = with(CavMethod::kRidge);
      options.centred = centred;
      const Matrix seen = centred ? Matrix(x.rowwise() - x.colwise().mean()) : x;
      const Vector aims = centred ? Vector(y.array() - y.mean()) : y;
      const Vector expected = seen.completeOrthogonalDecomposition().solve(aims) * std::sqrt(20.0);
      for (const double lambda : {1e-15, 1e-18, 1e-30, 1e-300, 1e-320}) {
        options.lambda = lambda;
        const Vector found = fit_cav(x.topRows(12), x.bottomRows(8), options).direction;
        EXPECT_LT((found - expected).norm(), 1e-4 * expected.norm()) << columns << " " << lambda;
      }
    }
  }
}

TEST(FitCav, RidgeOfEqualSetsIsExactlyZero) {
  const Matrix x = Stream(9).normal_matrix(30, 4).array() + 100;
  for (const bool centred : {false, true}) {
    CavOptions options = with(CavMethod::kRidge);
    options.centred = centred;
    EXPECT_EQ(fit_cav(x, x, options).direction, Vector::Zero(4));
  }
}

TEST(FitCav, CentredRidgeIgnoresAShift) {
  const Matrix random = Stream(5).normal_matrix(10, 6);
  const Matrix positive = Stream(6).normal_matrix(7, 6);
  CavOptions options = with(CavMethod::kRidge);
  const Vector w = fit_cav(random, positive, options).direction;
  const Vector shifted = fit_cav(random.array() + 100, positive.array() + 100, options).direction;
  EXPECT_LT((w - shifted).norm(), 1e-9 * w.norm());
}

// x uniform in [0,1]², concept where x₁² + x₂² > 1, activations x²: within L1 0.1 of (.5, .5).
TEST(FitCav, EveryMethodFindsTheQuarterCircle) {
  Stream stream(7);
  Matrix random(2000, 2);
  Matrix positive(2000, 2);
  Index n1 = 0;
  Index n2 = 0;
  while (n1 < 300 || n2 < 300) {
    const double a = std::pow(stream.uniform(), 2);
    const double b = std::pow(stream.uniform(), 2);
    if (a + b > 1) {
      positive.row(n2++) << a, b;
    } else {
      random.row(n1++) << a, b;
    }
  }
  for (const char* method : {"pattern", "fast", "ridge", "logistic", "svm"}) {
    CavOptions options = with(parse_cav_method(method));
    options.lambda = 1e-3;
    options.cost = 100;
    const Vector w = fit_cav(random.topRows(n1), positive.topRows(n2), options).direction;
    EXPECT_LT((w / w.lpNorm<1>() - Vector::Constant(2, 0.5)).lpNorm<1>(), 0.1) << method;
  }
}

double svm_objective(const Matrix& x, const Vector& y, const Vector& w, double b, double cost) {
  const Vector f = (x * w).array() + b;
  return 0.5 * w.squaredNorm() + cost * (1 - y.array() * f.array()).max(0).sum();
}

// Two points at distance 2: the widest margin is their perpendicular bisector, w = (0, ±1).
TEST(FitSvmCav, TwoPoints) {
  const Matrix low = (Matrix(1, 2) << 3, 4).finished();
  const Matrix high = (Matrix(1, 2) << 3, 6).finished();
  CavOptions options = with(CavMethod::kSvm);
  options.cost = 100;
  for (const bool up : {true, false}) {
    const Cav cav = up ? fit_cav(low, high, options) : fit_cav(high, low, options);
    EXPECT_NEAR(cav.direction(0), 0, 1e-6);
    EXPECT_NEAR(cav.direction(1), up ? 1 : -1, 1e-6);
    EXPECT_NEAR(cav.intercept, up ? -5 : 5, 1e-5);
  }
}

TEST(FitSvmCav, NoNeighbourIsBetter) {
  Matrix x = Stream(1).normal_matrix(60, 10);
  x.bottomRows(25).array() += 0.5;
  const Vector y = signs(35, 25);
  CavOptions options = with(CavMethod::kSvm);
  options.cost = 0.7;
  const Cav cav = fit_cav(x.topRows(35), x.bottomRows(25), options);
  const double best = svm_objective(x, y, cav.direction, cav.intercept, 0.7);
  Stream stream(2);
  for (int i = 0; i < 200; ++i) {
    const Vector step = 1e-2 * stream.normal_matrix(10, 1);
    EXPECT_GT(svm_objective(x, y, cav.direction + step, cav.intercept + 1e-2 * stream.normal(), 0.7),
              best - 1e-6);
  }
}

// 140 rows against 60 from the same place: always saying "random" costs 2·60·C, and every w costs more. What
// the solver's tolerance leaves is not a direction.
TEST(FitSvmCav, IsExactlyZeroWhenNoDirectionHelps) {
  const Matrix x = Stream(3).normal_matrix(200, 5);
  const Vector y = signs(140, 60);
  for (const double cost : {0.01, 1.0, 100.0}) {
    CavOptions options = with(CavMethod::kSvm);
    options.cost = cost;
    const Cav cav = fit_cav(x.topRows(140), x.bottomRows(60), options);
    EXPECT_TRUE(cav.converged);
    EXPECT_EQ(cav.direction, Vector::Zero(5));
    EXPECT_EQ(cav.intercept, -1);
    Stream stream(4);
    for (int i = 0; i < 100; ++i) {
      const Vector step = 1e-3 * stream.normal_matrix(5, 1);
      EXPECT_GT(svm_objective(x, y, step, -1 + 1e-3 * stream.normal(), cost), 120 * cost);
    }
  }
}

// The optimum is where the gradient vanishes: w = C Σ y s(-y f) x, Σ y s(-y f) = 0.
void expect_stationary(const Matrix& x, Index random, double cost, double tolerance) {
  CavOptions options = with(CavMethod::kLogistic);
  options.cost = cost;
  const Cav cav = fit_cav(x.topRows(random), x.bottomRows(x.rows() - random), options);
  EXPECT_TRUE(cav.converged);
  const Vector f = (x * cav.direction).array() + cav.intercept;
  const Vector pull = signs(random, x.rows() - random).binaryExpr(f, [](double label, double margin) {
    return label * sigmoid(-label * margin);
  });
  EXPECT_LT((cav.direction - cost * x.transpose() * pull).norm(), tolerance * (1 + cav.direction.norm()));
  EXPECT_LT(std::abs(pull.sum()), tolerance);
}

TEST(FitLogisticCav, StationaryTallWideAndUnequal) {
  Matrix tall = Stream(1).normal_matrix(200, 5);
  tall.bottomRows(50).array() += 0.4;
  expect_stationary(tall, 150, 1, 1e-6);
  expect_stationary(Stream(2).normal_matrix(30, 400), 20, 1, 1e-6);
}

TEST(FitLogisticCav, StationaryAtExtremeScales) {
  Matrix x = Stream(3).normal_matrix(40, 60);
  x.bottomRows(20).array() += 0.3;
  // Means a thousand times the spread, as after a ReLU; a penalty of almost nothing; of almost all.
  expect_stationary(x.array() + 1000, 20, 1, 1e-4);
  expect_stationary(x, 20, 1e4, 1e-3);
  expect_stationary(x, 20, 1e-4, 1e-8);
}

// Separable rows: the direct solver there was said to have converged 2 % off at 1e4 and 34 % at 1e6.
TEST(FitLogisticCav, IsRightOnSeparableRowsAtHighCost) {
  for (const Index columns : {8, 60}) {
    Matrix x = Stream(7).normal_matrix(40, columns);
    x.bottomRows(20).leftCols(2).array() += 8;
    for (const double cost : {1.0, 1e4, 1e6, 1e8, 1e12, 1e24}) {
      CavOptions options = with(CavMethod::kLogistic);
      options.cost = cost;
      const Cav cav = fit_cav(x.topRows(20), x.bottomRows(20), options);
      EXPECT_TRUE(cav.converged) << columns << ", " << cost;
      const Vector wanted = plain_direction(x.topRows(20), x.bottomRows(20), options);
      EXPECT_LT((cav.direction - wanted).norm(), 1e-6 * wanted.norm()) << columns << ", " << cost;
    }
  }
}

// Rows in other units, and the penalty with them: w in those units, and no other answer.
TEST(FitCav, UnitsChangeNoAnswer) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{60, 150}, {130, 8}, {116, 60}}) {
    Matrix x = Stream(8).normal_matrix(rows, columns);
    x.bottomRows(20).leftCols(2).array() += 1;
    for (const CavMethod method : kMethods) {
      const auto fit = [&](double unit) {
        CavOptions options = with(method);
        options.cost /= unit * unit;
        options.lambda *= unit * unit;
        const Matrix scaled = unit * x;
        const Vector w = fit_cav(scaled.topRows(rows - 20), scaled.bottomRows(20), options).direction;
        return Vector((is_mean_difference(method) ? 1 / unit : unit) * w);
      };
      const Vector wanted = fit(1);
      for (const double unit : {1e-12, 1e-6, 2e-6, 1e-3, 300.0, 1e8, 1e12})
        EXPECT_LT((fit(unit) - wanted).norm(), 1e-6 * wanted.norm()) << name(method) << " x " << unit;
    }
  }
}

TEST(FitCav, BadArguments) {
  const Matrix set = Stream(8).normal_matrix(3, 4);
  CavOptions options = with(CavMethod::kRidge);
  options.lambda = -1;
  EXPECT_THAT([&] { fit_cav(set, set, options); },
              ThrowsMessage<std::invalid_argument>("[fit_cav] lambda is -1, must be > 0"));
  options = with(CavMethod::kLogistic);
  options.cost = 0;
  EXPECT_THAT([&] { fit_cav(set, set, options); },
              ThrowsMessage<std::invalid_argument>("[fit_cav] cost is 0, must be > 0"));
  EXPECT_THAT([&] { fit_cav(set, Matrix(2, 3), {}); },
              ThrowsMessage<std::invalid_argument>("[fit_cav] random has 4 columns but concept has 3"));
  EXPECT_THROW(fit_cav(set, Matrix(0, 4), {}), std::invalid_argument);
  Matrix bad = set;
  bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { fit_cav(set, bad, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("row 4, column 2")));
  EXPECT_THAT([] { parse_cav_method("lda"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("pattern, fast")));
}

}  // namespace
}  // namespace atcav::stats
