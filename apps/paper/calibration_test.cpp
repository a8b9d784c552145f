#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/posterior_calibration.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(PosteriorCalibration, OnlyEmpiricalBayesIsCalibrated) {
  const std::vector<Figure> figures = posterior_calibration({.repeats = 5});
  EXPECT_TRUE(well_formed(figures));
  EXPECT_TRUE(checks_hold(figures));
  const Figure* summary = find_figure(figures, "calibration_error");
  ASSERT_NE(summary, nullptr);
  // MATH §4, 300 problems: indicator 0.45 and α† effective 0.20 at 50 + 50, |μ| = 0.4; 30 problems scatter by
  // 0.07.
  EXPECT_NEAR(summary->curves[0].y[0], 0.45, 0.1);
  EXPECT_NEAR(summary->curves[1].y[0], 0.20, 0.1);
}

}  // namespace
}  // namespace atcav::paper
