#include "atcav/stats/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/base/random.h"

namespace atcav::stats {
namespace {

TEST(Reliability, CountsByHand) {
  const Reliability result = reliability(Eigen::Vector4d(0, 0.9, 1, 1), Eigen::Vector4d(0, 1, 1, 0), 2);
  EXPECT_EQ(result.bins[0].count, 1);
  EXPECT_EQ(result.bins[1].count, 3);
  EXPECT_NEAR(result.bins[1].mean_probability, 2.9 / 3, 1e-15);
  EXPECT_NEAR(result.bins[1].share_true, 2.0 / 3, 1e-15);
  EXPECT_NEAR(result.expected_calibration_error, 0.9 / 4, 1e-15);
  EXPECT_THROW(reliability(Vector::Constant(1, 1.5), Vector::Ones(1)), std::invalid_argument);
}

TEST(Reliability, HonestProbabilitiesHaveNoError) {
  Stream stream(1);
  constexpr Index kCount = 100000;
  Vector p(kCount);
  Vector outcome(kCount);
  for (Index i = 0; i < kCount; ++i) {
    p(i) = stream.uniform();
    outcome(i) = stream.uniform() < p(i) ? 1 : 0;
  }
  // 15 bins of 6,667: each share's standard error is at most 0.006, their mean absolute value less.
  EXPECT_LT(reliability(p, outcome).expected_calibration_error, 0.01);
}

}  // namespace
}  // namespace atcav::stats
