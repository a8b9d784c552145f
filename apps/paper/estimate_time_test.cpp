#include <gtest/gtest.h>

#include "apps/paper/real.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(EstimateTime, MoreRunsTakeLonger) {
  const std::vector<Figure> figures = estimate_time(testing_model(), {});
  EXPECT_TRUE(well_formed(figures));
  EXPECT_GT(figures[0].curves[0].y[2], figures[0].curves[0].y[0]);
}

}  // namespace
}  // namespace atcav::paper
