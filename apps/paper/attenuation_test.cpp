#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/synthetic.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(Attenuation, ScoresArePulledTowardsOneHalfAndExtrapolationHelps) {
  const std::vector<Figure> figures = attenuation({.repeats = 10});
  EXPECT_TRUE(well_formed(figures));
  EXPECT_TRUE(checks_hold(figures));
  const Figure* figure = find_figure(figures, "attenuation");
  ASSERT_NE(figure, nullptr);
  EXPECT_LT(figure->curves[0].y.front(), figure->curves[0].y.back());
  EXPECT_LT(figure->curves[0].y.back(), figure->curves[2].y.back());
}

}  // namespace
}  // namespace atcav::paper
