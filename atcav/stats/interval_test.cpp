#include "atcav/stats/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace atcav::stats {
namespace {

TEST(NormalInterval, KnownQuantileAndCut) {
  const Interval interval = normal_interval(0.5, 0.1, 0.95);
  EXPECT_NEAR(interval.low, 0.5 - 0.1959963984540054, 1e-14);
  EXPECT_NEAR(interval.high, 0.5 + 0.1959963984540054, 1e-14);
  EXPECT_EQ(normal_interval(0.99, 0.1, 0.95).high, 1);
  EXPECT_EQ(normal_interval(0.01, 0.1, 0.95).low, 0);
  EXPECT_THROW(normal_interval(0.5, 0.1, 1), std::invalid_argument);
}

// numpy.percentile([1, 2, 3, 4], [25, 75]) is [1.75, 3.25].
TEST(PercentileInterval, InterpolatesAsNumpyDoes) {
  const Interval interval = percentile_interval({4, 1, 3, 2}, 0.5);
  EXPECT_DOUBLE_EQ(interval.low, 1.75);
  EXPECT_DOUBLE_EQ(interval.high, 3.25);
  EXPECT_EQ(percentile_interval({0.3}, 0.95).low, 0.3);
  EXPECT_THROW(percentile_interval({}, 0.95), std::invalid_argument);
}

TEST(Errors, ClosedForms) {
  EXPECT_DOUBLE_EQ(two_sample_error(4, 100, 9, 900), std::sqrt(0.04 + 0.01));
  EXPECT_DOUBLE_EQ(mean_error(Eigen::Vector3d(1, 2, 3)), std::sqrt(1.0 / 3));
  EXPECT_EQ(mean_error(Vector::Ones(1)), 0);
}

}  // namespace
}  // namespace atcav::stats
