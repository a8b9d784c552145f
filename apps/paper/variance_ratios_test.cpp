#include <gtest/gtest.h>

#include "apps/paper/synthetic.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(VarianceRatios, ExactRatiosAreThoseOfTheTheoryPage) {
  const std::vector<Figure> figures = variance_ratios({.repeats = 10});
  EXPECT_TRUE(checks_hold(figures));
  const Curve& exact = figures[0].curves[1];
  EXPECT_EQ(exact.name, "exact, u = 0");
  EXPECT_NEAR(exact.y[0], 0.6281, 5e-5);   // s = 2
  EXPECT_NEAR(exact.y[8], 0.6234, 5e-5);   // s = 10
  EXPECT_NEAR(exact.y[48], 0.6333, 5e-5);  // s = 50
}

}  // namespace
}  // namespace atcav::paper
