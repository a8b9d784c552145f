#include <gtest/gtest.h>

#include "apps/paper/synthetic.h"
#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

TEST(SyntheticAccuracy, PredictionsHold) {
  const std::vector<Figure> figures = synthetic_accuracy({.repeats = 30, .seed = 1});
  EXPECT_EQ(figures.size(), 4U);
  EXPECT_TRUE(well_formed(figures));
  for (const Figure& figure : figures) {
    for (const Claim& claim : figure.claims) {
      EXPECT_TRUE(claim.holds) << figure.id << ": " << claim.text << " " << claim.ours.value_or(0);
    }
  }
}

}  // namespace
}  // namespace atcav::paper
