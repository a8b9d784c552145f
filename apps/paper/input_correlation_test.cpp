#include <gtest/gtest.h>

#include "apps/paper/synthetic.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(InputCorrelation, InputsMoveTogether) {
  const std::vector<Figure> figures = input_correlation({.repeats = 10});
  EXPECT_TRUE(well_formed(figures));
  const Figure& variance = figures[0];
  // Var(T) = v̄(1 + (m-1)ρ)/m; with gradients of cosine 0.2 ρ is of that order, so 200 inputs are like five.
  EXPECT_GT(variance.curves[0].y.back(), 10 * variance.curves[2].y.back());
  EXPECT_LT(variance.curves[0].y.back(), variance.curves[1].y.back());
  EXPECT_DOUBLE_EQ(variance.curves[0].y.front(), variance.curves[1].y.front());
}

}  // namespace
}  // namespace atcav::paper
