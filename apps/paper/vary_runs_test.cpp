#include "apps/paper/vary_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(VaryRuns, SmoothScoresVaryLess) {
  const std::vector<Figure> figures = vary_runs(real_cases(testing_layers(0.1)), {.repeats = 10});
  EXPECT_EQ(figures.size(), 5U);
  EXPECT_TRUE(well_formed(figures));
  const Figure& ratios = figures[0];
  EXPECT_EQ(ratios.id, "vary_s_ratios");
  EXPECT_EQ(ratios.curves[0].y.size(), 5U);
  for (const double ratio : ratios.curves[0].y) EXPECT_LT(ratio, 1);
}

TEST(VaryRuns, CasesWithoutVarianceGiveNoRatio) {
  // So far apart that every run of either concept counts the same inputs.
  const std::vector<Figure> figures = vary_runs(real_cases(testing_layers(1000)), {.repeats = 2});
  EXPECT_TRUE(figures[0].curves[0].y.empty());
}

}  // namespace
}  // namespace atcav::paper
