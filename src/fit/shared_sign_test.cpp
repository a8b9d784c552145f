#include "fit/shared_sign.h"

#include <gtest/gtest.h>

#include "atcav/random.h"
#include "stats/normal.h"

namespace atcav::fit {
namespace {

// All inputs alike: S_j = x for all, x ~ N(2, 1). A sigmoid of S/γ is s(1) or s(-1) whatever x is, so without
// widening the interval is a point. Expected at x = 2 ± 1.96: s(1) nearly surely, and s(-1) with probability
// Φ(-0.04). 4,000 refits know Φ to 0.008.
TEST(SharedSign, HoldsTheScoreExpectedAtTheEndsOfTheMean) {
  Matrix refits = Stream(4, {kTaskSimulation}).normal_matrix(4000, 1).replicate(1, 5);
  refits.array() += 2 - refits.mean();
  const stats::ScoreRule rule = stats::alpha_rule(1);
  const double high = 1 / (1 + std::exp(-1));
  const SharedSign sign(1, 1, 1e9, refits, 0.95);
  const stats::Interval found = sign.widened({high, high}, rule);
  const double turned = stats::normal_cdf(-(2 - 1.96));
  EXPECT_NEAR(found.low, high + turned * (1 - 2 * high), 4 * 0.008 * (2 * high - 1));
  EXPECT_NEAR(found.high, high, 1e-6);
  // Few degrees of freedom reach further.
  EXPECT_LT(SharedSign(1, 1, 3, refits, 0.95).widened({high, high}, rule).low, found.low);
}

TEST(SharedSign, LeavesInputsThatMoveByThemselves) {
  const Matrix refits = Stream(4, {kTaskSimulation}).normal_matrix(50, 5);
  const stats::Interval kept =
      SharedSign(0.19, 1, 20, refits, 0.95).widened({0.4, 0.5}, stats::alpha_rule(1));
  EXPECT_EQ(kept.low, 0.4);
  EXPECT_EQ(kept.high, 0.5);
}

}  // namespace
}  // namespace atcav::fit
