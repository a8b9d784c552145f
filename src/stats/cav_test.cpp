#include "atcav/cav.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

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
    EXPECT_LT((left - x.transpose() * y / std::sqrt(20.0)).norm(), 1e-12 * left.norm());
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
