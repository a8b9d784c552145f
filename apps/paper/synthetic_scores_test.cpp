#include <gtest/gtest.h>

#include "apps/paper/synthetic.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(SyntheticScores, SimulationLiesOnExactTheory) {
  const std::vector<Figure> figures = synthetic_scores({.repeats = 40, .seed = 3});
  EXPECT_EQ(figures.size(), 7U);
  EXPECT_TRUE(well_formed(figures));
  EXPECT_TRUE(checks_hold(figures));
}

TEST(SyntheticScores, TheIndicatorStaysAtPopoviciusBound) {
  const std::vector<Figure> figures = synthetic_scores({.repeats = 10});
  const Figure* figure = find_figure(figures, "scores_variance_zero");
  ASSERT_NE(figure, nullptr);
  for (const double variance : figure->curves.front().y) EXPECT_NEAR(variance, 0.25, 0.001);
}

TEST(SyntheticScores, DoNotDependOnThreads) {
  const std::vector<Figure> one = synthetic_scores({.repeats = 2, .threads = 1});
  const std::vector<Figure> many = synthetic_scores({.repeats = 2, .threads = 3});
  EXPECT_EQ(one[3].curves[0].y, many[3].curves[0].y);
}

}  // namespace
}  // namespace atcav::paper
