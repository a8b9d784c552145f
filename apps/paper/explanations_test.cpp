#include <gtest/gtest.h>

#include "apps/paper/synthetic.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(Explanations, AgreeWithThePapersPrintedNumbers) {
  const std::vector<Figure> figures = explanations({.repeats = 5});
  EXPECT_TRUE(well_formed(figures));
  EXPECT_TRUE(checks_hold(figures));
  const Figure* counts = find_figure(figures, "distributions_counts");
  ASSERT_NE(counts, nullptr);
  EXPECT_NEAR(counts->curves[1].y[8], 0.0039, 5e-5);
  EXPECT_NEAR(counts->curves[1].y[20], 0.0008, 5e-5);
  EXPECT_TRUE(counts->claims[0].holds);
}

}  // namespace
}  // namespace atcav::paper
