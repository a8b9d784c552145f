#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/significance_level.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(SignificanceLevel, PermutationsKeepTheLevelAndRunsDoNot) {
  const std::vector<Figure> figures = significance_level({.repeats = 15});
  EXPECT_TRUE(checks_hold(figures));
  // MATH §6: 18 % of 400; 120 problems scatter by 3.5 %.
  EXPECT_NEAR(figures[0].claims[1].ours.value_or(0), 0.18, 0.105);
  EXPECT_FALSE(figures[0].claims[1].holds);
}

}  // namespace
}  // namespace atcav::paper
