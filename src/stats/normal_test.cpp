#include "stats/normal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

TEST(NormalCdf, TabulatedValues) {
  EXPECT_DOUBLE_EQ(normal_cdf(0), 0.5);
  // Abramowitz & Stegun, Table 26.1.
  EXPECT_NEAR(normal_cdf(1), 0.841344746068543, 1e-15);
  EXPECT_NEAR(normal_cdf(-5) / 2.866515718791939e-07, 1, 1e-12);
}

TEST(NormalQuantile, InvertsTheCdf) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  for (const double p : {1e-12, 0.01, 0.5, 0.7, 0.999})
    EXPECT_NEAR(normal_cdf(normal_quantile(p)) / p, 1, 1e-12);
  EXPECT_THROW(normal_quantile(0), std::invalid_argument);
  EXPECT_THROW(normal_quantile(1), std::invalid_argument);
}

TEST(Sigmoid, StaysFiniteAndSymmetric) {
  EXPECT_EQ(sigmoid(1e6), 1);
  EXPECT_EQ(sigmoid(-1e6), 0);
  for (const double x : {0.0, 0.3, 2.0, 30.0}) EXPECT_NEAR(sigmoid(x) + sigmoid(-x), 1, 1e-15);
}

TEST(SigmoidDerivative, IsTheDerivative) {
  for (const double x : {-3.0, -0.2, 0.0, 1.5}) {
    const double h = 1e-5;
    EXPECT_NEAR(sigmoid_derivative(x), (sigmoid(x + h) - sigmoid(x - h)) / (2 * h), 1e-10);
  }
  EXPECT_EQ(sigmoid_derivative(1e6), 0);
}

// The approximation the paper's α* and α† rest on: its largest error is 0.0177 (checked on a grid).
TEST(Tau1, TiesSigmoidToProbit) {
  double worst = 0;
  for (double x = -8; x <= 8; x += 0.01) {
    worst = std::max(worst, std::abs(sigmoid(x) - normal_cdf(std::sqrt(kTau1) * x)));
  }
  EXPECT_LT(worst, 0.0180);
  EXPECT_GT(worst, 0.0170);
}

double exact(double y) { return static_cast<double>(1 / (1 + std::exp(-static_cast<long double>(y)))); }

// One value at a time in extended precision, over all magnitudes and in every lane.
TEST(MeanSigmoid, IsThatOfTheSigmoid) {
  Stream stream(3);
  for (int i = 0; i < 20000; ++i) {
    const double y = (stream.uniform() < 0.5 ? -1 : 1) * std::pow(10, -17 + 19.8 * stream.uniform());
    const Vector one = Vector::Constant(1 + i % 9, y / 3);
    EXPECT_NEAR(mean_sigmoid(one, 3) / exact(y / 3 * 3), 1, 4 * std::numeric_limits<double>::epsilon()) << y;
  }
}

TEST(MeanSigmoid, AddsUpEveryValueOnce) {
  Stream stream(4);
  for (const Index count : {1, 7, 8, 9, 16, 100}) {
    Vector x(count);
    double expected = 0;
    for (Index j = 0; j < count; ++j) expected += exact(1.7 * (x(j) = stream.normal()));
    EXPECT_NEAR(mean_sigmoid(x, 1.7), expected / static_cast<double>(count), 1e-15);
  }
}

TEST(MeanSigmoid, SaturatesAndPassesNanOn) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(mean_sigmoid(Vector::Constant(9, 1e300), 2), 1);
  EXPECT_EQ(mean_sigmoid(Vector::Constant(9, infinity), 1), 1);
  EXPECT_NEAR(mean_sigmoid(Vector::Constant(9, -1e300), 2), 0, 1e-300);
  EXPECT_EQ(mean_sigmoid(Vector::Zero(3), 5), 0.5);
  EXPECT_TRUE(std::isnan(mean_sigmoid(Vector::Constant(9, std::nan("")), 1)));
  EXPECT_THROW(mean_sigmoid(Vector(), 1), std::invalid_argument);
}

}  // namespace

}  // namespace atcav::stats
