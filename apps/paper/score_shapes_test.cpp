#include <gtest/gtest.h>

#include "apps/paper/synthetic.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

// Curves by law: normal, skewed, heavy-tailed, lognormal; of calibration two each.
TEST(ScoreShapes, ASkewedLawBendsWhatANormalOneKeeps) {
  const std::vector<Figure> figures = score_shapes({.repeats = 40, .seed = 2});
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_TRUE(well_formed(figures));
  const auto& gap = figures[0].curves;
  // N = 20, two examples a run. Normal: the approximations behind α* leave 0.02, simulation three errors.
  EXPECT_LT(gap[0].y[0], 0.02 + 3 * gap[0].error[0]);
  EXPECT_GT(gap[1].y[0], gap[0].y[0] + 3 * gap[1].error[0]);
  EXPECT_GT(gap[3].y[0], gap[1].y[0]);
  // With 50 examples a run is nearer to a normal.
  EXPECT_LT(gap[1].y[4], gap[1].y[0]);
}

}  // namespace
}  // namespace atcav::paper
