#include <gtest/gtest.h>

#include <cmath>

#include "apps/paper/interval_coverage.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(IntervalCoverage, ClosedFormCovers) {
  const std::vector<Figure> figures = interval_coverage({.repeats = 5, .seed = 2});
  EXPECT_TRUE(well_formed(figures));
  EXPECT_TRUE(checks_hold(figures));
}

}  // namespace
}  // namespace atcav::paper
