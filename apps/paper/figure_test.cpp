#include "apps/paper/figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace atcav::paper {
namespace {

TEST(DensityHistogram, HasAreaOneOverTheValuesInside) {
  const auto area = [](const Curve& bars) {
    double sum = 0;
    for (const double y : bars.y) sum += y / 30;
    return sum;
  };
  EXPECT_NEAR(area(density_histogram("x", {0.1, 0.2, 0.2, 0.9}, 0, 1, 0)), 1, 1e-12);
  EXPECT_NEAR(area(density_histogram("x", {0.1, 0.2, 0.2, 1.9}, 0, 1, 0)), 0.75, 1e-12);
}

TEST(NormalCurve, PeaksAtTheMean) {
  const Curve curve = normal_curve("x", {0, 4}, -1, 1, 0);
  EXPECT_NEAR(curve.y[60], 1 / (2 * std::sqrt(2 * std::numbers::pi)), 1e-12);
}

TEST(Grid, EndsAndSteps) {
  EXPECT_EQ(grid(0, 1, 3), (std::vector<double>{0, 0.5, 1}));
  EXPECT_NEAR(grid(1, 100, 3, true)[1], 10, 1e-12);
}

}  // namespace
}  // namespace atcav::paper
