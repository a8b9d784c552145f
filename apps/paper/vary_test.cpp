#include <gtest/gtest.h>

#include "apps/paper/real.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(VaryRuns, SmoothScoresVaryLess) {
  const std::vector<Figure> figures = vary_runs(testing_model(0.1), {.repeats = 10});
  EXPECT_EQ(figures.size(), 5U);
  EXPECT_TRUE(well_formed(figures));
  const Figure& ratios = figures[0];
  EXPECT_EQ(ratios.id, "vary_s_ratios");
  EXPECT_EQ(ratios.curves[0].y.size(), 5U);
  for (const double ratio : ratios.curves[0].y) EXPECT_LT(ratio, 1);
}

TEST(VaryRuns, CasesWithoutVarianceGiveNoRatio) {
  // So far apart that every run of either concept counts the same inputs.
  const std::vector<Figure> figures = vary_runs(testing_model(1000), {.repeats = 2});
  EXPECT_TRUE(figures[0].curves[0].y.empty());
}

TEST(VaryBudget, SmoothScoresFallAsOneOverNAndTheIndicatorDoesNot) {
  const std::vector<Figure> figures = vary_budget(testing_model(0.1), {.repeats = 25});
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
