#include <gtest/gtest.h>

#include "apps/paper/real.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(AlphaStarTable, HasThePapersProportions) {
  const std::vector<Figure> figures = alpha_star_table(testing_layers());
  EXPECT_TRUE(checks_hold(figures));
  for (const Curve& row : figures[0].curves) {
    EXPECT_NEAR(row.y[0] / row.y[1], 2, 1e-12);
    EXPECT_NEAR(row.y[0] / row.y[2], 3, 1e-12);
  }
}

TEST(EncodedConcepts, FarIsToldApartPerfectly) {
  const std::vector<Figure> figures = encoded_concepts(testing_layers(1));
  EXPECT_EQ(figures.size(), 3U);
  EXPECT_TRUE(well_formed(figures));
  EXPECT_DOUBLE_EQ(figures[0].curves[2].y[0], 1);
}

TEST(RealCorrelation, IsACorrelation) {
  const std::vector<Figure> figures = real_correlation(testing_layers(), {.repeats = 10});
  for (const double correlation : figures[0].curves[0].y) {
    EXPECT_GT(correlation, -0.1);
    EXPECT_LT(correlation, 1);
  }
}

}  // namespace
}  // namespace atcav::paper
