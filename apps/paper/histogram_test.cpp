#include "apps/paper/histogram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(DensityHistogram, HasAreaOne) {
  const Curve bars = density_histogram("x", {0.1, 0.2, 0.2, 0.9}, 0, 1, 0);
  double area = 0;
  for (const double y : bars.y) area += y / 30;
  EXPECT_NEAR(area, 1, 1e-12);
}

TEST(NormalCurve, PeaksAtTheMean) {
  const Curve curve = normal_curve("x", {0, 4}, -1, 1, 0);
  EXPECT_NEAR(curve.y[60], 1 / (2 * std::sqrt(2 * M_PI)), 1e-12);
}

}  // namespace
}  // namespace atcav::paper
