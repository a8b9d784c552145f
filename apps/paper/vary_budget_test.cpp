#include "apps/paper/vary_budget.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(VaryBudget, SmoothScoresFallAsOneOverNAndTheIndicatorDoesNot) {
  const std::vector<Figure> figures = vary_budget(real_cases(testing_layers(0.1)), {.repeats = 25});
  EXPECT_EQ(figures.size(), 6U);
  EXPECT_TRUE(well_formed(figures));
  ASSERT_FALSE(figures[0].curves[2].y.empty());
  // 100 draws give a variance to 14 %, the exponent over a factor of ten to about 0.1.
  EXPECT_NEAR(figures[0].curves[2].y[0], -1, 0.4);
  EXPECT_NEAR(figures[0].curves[0].y[0], 0, 0.4);
  // Drawing the concept anew leaves noise that N does not touch.
  EXPECT_GT(figures[1].curves[2].y[0], figures[0].curves[2].y[0]);
}

}  // namespace
}  // namespace atcav::paper
