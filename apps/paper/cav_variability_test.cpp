#include <gtest/gtest.h>

#include "apps/paper/synthetic.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(CavVariability, PatternAndFastMatchTheoryAndMeetAtTheLimit) {
  const std::vector<Figure> figures = cav_variability({.repeats = 6, .seed = 1});
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_TRUE(well_formed(figures));
  EXPECT_TRUE(checks_hold(figures));
  // d/n₂ = 40/50 is the concept's own noise, with unit variances.
  EXPECT_NEAR(figures[1].curves.back().y[0], 0.8, 1e-12);
}

}  // namespace
}  // namespace atcav::paper
