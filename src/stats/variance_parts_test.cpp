#include "stats/variance_parts.h"

#include <gtest/gtest.h>

namespace atcav::stats {
namespace {

// scipy.stats.ttest_ind([1, 2, 3, 4], [2, 4, 6, 8, 10], equal_var=False): t = -2.2514, df = 5.5208.
TEST(VarianceParts, TwoSamplesAreWelchs) {
  const std::vector<VariancePart> parts = {{5.0 / 3 / 4, 3}, {10.0 / 5, 4}};
  EXPECT_NEAR(satterthwaite(parts), 5.520787746170677, 1e-12);
  EXPECT_NEAR(two_sided_p(-3.5, parts), 0.06913359319239236, 1e-12);
  const Interval interval = t_interval(-3.5, parts, 0.95);
  EXPECT_NEAR(interval.low, -7.3850, 1e-3);
  EXPECT_NEAR(interval.high, 0.3850, 1e-3);
}

TEST(VarianceParts, NoErrorIsAPoint) {
  const std::vector<VariancePart> parts = {{0, 3}};
  EXPECT_EQ(t_interval(2, parts, 0.95).low, 2);
  EXPECT_EQ(two_sided_p(2, parts), 0);
  EXPECT_EQ(two_sided_p(0, parts), 1);
}

}  // namespace
}  // namespace atcav::stats
