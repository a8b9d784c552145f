#include "atcav/stats/mean_sigmoid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "atcav/base/random.h"

namespace atcav::stats {
namespace {

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
