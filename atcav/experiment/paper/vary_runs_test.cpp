#include "atcav/experiment/paper/vary_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/experiment/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(VaryRuns, SmoothScoresVaryLess) {
  const std::vector<Figure> figures = vary_runs(real_cases(testing_layers()), {.repeats = 10});
  EXPECT_EQ(figures.size(), 5U);
  EXPECT_TRUE(well_formed(figures));
  const Figure& ratios = figures[0];
  EXPECT_EQ(ratios.id, "vary_s_ratios");
  for (const double ratio : ratios.curves[0].y) EXPECT_LT(ratio, 1);
}

}  // namespace
}  // namespace atcav::paper
