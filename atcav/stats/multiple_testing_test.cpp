#include "atcav/stats/multiple_testing.h"

#include <gtest/gtest.h>

namespace atcav::stats {
namespace {

TEST(Bonferroni, MultipliesAndCuts) {
  EXPECT_EQ(bonferroni({0.01, 0.25, 0.5}), (std::vector<double>{0.03, 0.75, 1}));
  EXPECT_TRUE(bonferroni({}).empty());
}

// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH") is 0.02, 0.04, 0.04, 0.02.
TEST(BenjaminiHochberg, AgreesWithR) {
  const std::vector<double> adjusted = benjamini_hochberg({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected = {0.02, 0.04, 0.04, 0.02};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15);
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

}  // namespace
}  // namespace atcav::stats
