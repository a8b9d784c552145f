#include "atcav/stats/variance_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "atcav/stats/distribution.h"

namespace atcav::stats {
namespace {

// Published numbers, four decimals.
TEST(VarianceRatioApproximate, KnownAnswers) {
  EXPECT_NEAR(variance_ratio_approximate(2), 0.5535, 5e-5);
  EXPECT_NEAR(variance_ratio_approximate(10), 0.4710, 5e-5);
  EXPECT_NEAR(variance_ratio_approximate_limit(), 0.4558, 5e-5);
  EXPECT_NEAR(variance_ratio_approximate(100000), variance_ratio_approximate_limit(), 1e-5);
}

TEST(VarianceRatio, KnownAnswersAtZero) {
  EXPECT_NEAR(variance_ratio(2), 0.6281, 5e-5);
  EXPECT_NEAR(variance_ratio(10), 0.6234, 5e-5);
  EXPECT_NEAR(variance_ratio(50), 0.6333, 5e-5);
  EXPECT_NEAR(variance_ratio_limit(), 2 / std::numbers::pi, 1e-15);
}

TEST(VarianceRatio, TendsToItsLimit) {
  for (const double signal : {0.0, 0.5, -2.0})
    EXPECT_NEAR(variance_ratio(1000000, signal), variance_ratio_limit(signal), 1e-5);
}

TEST(VarianceRatio, IsTheRatioOfTheMoments) {
  const ScoreModel model{.mu = 0.2, .sigma = 1.5, .samples = 300};
  const Index runs = 6;
  const double direct = alpha_tcav_moments(model, model_alpha_star(model, runs)).variance /
                        multi_tcav_moments(model, runs).variance;
  EXPECT_NEAR(variance_ratio(runs, std::sqrt(50.0) * 0.2 / 1.5), direct, 1e-12);
}

TEST(VarianceRatio, FallsBelowTheApproximationAwayFromZero) {
  double last = variance_ratio(10, 0);
  for (const double signal : {0.5, 1.0, 2.0, 3.0}) {
    const double now = variance_ratio(10, signal);
    EXPECT_LT(now, last);
    EXPECT_NEAR(now, variance_ratio(10, -signal), 1e-12);
    last = now;
  }
  EXPECT_LT(last, variance_ratio_approximate(10));
}

TEST(VarianceRatio, RefusesBadArguments) {
  EXPECT_THROW(variance_ratio(1), std::invalid_argument);
  EXPECT_THROW(variance_ratio_approximate(1), std::invalid_argument);
  EXPECT_THROW(variance_ratio(5, NAN), std::invalid_argument);
  EXPECT_THROW(variance_ratio_limit(100), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
