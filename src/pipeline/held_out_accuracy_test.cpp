#include "pipeline/held_out_accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"
#include "stats/normal.h"

namespace atcav {
namespace {

pass::SetScores scores(Index n, double mean, double sd, std::uint64_t seed) {
  pass::SetScores set{sd * Stream(seed).normal_matrix(n, 1).array() + mean, {}};
  for (Index i = 0; i < n; ++i) set.folds.push_back(i % 5);
  return set;
}

// Normals at distance 2 with unit spread: the best threshold is half-way and right in Φ(1) of all cases.
TEST(HeldOutAccuracy, KnownNormals) {
  const Accuracy accuracy = held_out_accuracy({scores(4000, 0, 1, 1), scores(2000, 2, 1, 2)}, 0.95);
  const double truth = stats::normal_cdf(1);
  // Four standard errors of a share of 2000.
  const double tolerance = 4 * std::sqrt(truth * (1 - truth) / 2000);
  EXPECT_NEAR(accuracy.held_out, truth, tolerance);
  EXPECT_NEAR(accuracy.predicted, truth, tolerance);
  EXPECT_NEAR(accuracy.auc, stats::normal_cdf(std::sqrt(2.0)), tolerance);
  EXPECT_NEAR(accuracy.threshold, 1, 0.1);
  EXPECT_NEAR(accuracy.of_concept.mean, 2, 4 / std::sqrt(2000));
  EXPECT_NEAR(accuracy.random.variance, 1, 4 * std::sqrt(2.0 / 4000));
  EXPECT_EQ(accuracy.random_scores.size(), 4000U);
  EXPECT_EQ(accuracy.concept_scores.size(), 2000U);
}

// Balanced: a set twenty times larger does not make guessing look good.
TEST(HeldOutAccuracy, NoSignalIsACoin) {
  const Accuracy accuracy = held_out_accuracy({scores(4000, 0, 1, 3), scores(200, 0, 1, 4)}, 0.95);
  EXPECT_NEAR(accuracy.held_out, 0.5, 0.06);
  EXPECT_NEAR(accuracy.auc, 0.5, 0.08);
}

TEST(HeldOutAccuracy, TwoRowsASetAreEnough) {
  pass::SetScores low{Eigen::Vector2d(-1, -1), {0, 1}};
  pass::SetScores high{Eigen::Vector2d(1, 1), {0, 1}};
  const Accuracy accuracy = held_out_accuracy({low, high}, 0.95);
  EXPECT_EQ(accuracy.held_out, 1);
  EXPECT_EQ(accuracy.auc, 1);
  EXPECT_TRUE(std::isfinite(accuracy.threshold));
}

}  // namespace
}  // namespace atcav
