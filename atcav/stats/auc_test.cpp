#include "atcav/stats/auc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/base/random.h"
#include "atcav/stats/normal.h"

namespace atcav::stats {
namespace {

TEST(Auc, KnownValues) {
  EXPECT_EQ(auc(Vector{{1.0, 2.0}}, Vector{{3.0, 4.0}}), 1);
  EXPECT_EQ(auc(Vector{{3.0, 4.0}}, Vector{{1.0, 2.0}}), 0);
  EXPECT_EQ(auc(Vector{{1.0, 1.0, 1.0}}, Vector{{1.0, 1.0}}), 0.5);
  // scikit-learn: roc_auc_score([0,0,1,1], [.1,.4,.35,.8]) = 0.75.
  EXPECT_EQ(auc(Vector{{0.1, 0.4}}, Vector{{0.35, 0.8}}), 0.75);
  // Pairs: 2 > 1, 2 = 2, 3 > 1, 3 > 2.
  EXPECT_EQ(auc(Vector{{1.0, 2.0}}, Vector{{2.0, 3.0}}), 3.5 / 4);
}

TEST(Auc, CountsPairsWithTies) {
  Stream stream(2, {kTaskSimulation});
  Vector random(37);
  Vector of_concept(23);
  for (double& x : random) x = std::round(2 * stream.normal());
  for (double& x : of_concept) x = std::round(2 * stream.normal() + 1);
  double wins = 0;
  for (const double c : of_concept) {
    for (const double r : random) wins += c > r ? 1 : (c == r ? 0.5 : 0);
  }
  EXPECT_NEAR(auc(random, of_concept), wins / (37 * 23), 1e-15);
}

TEST(Auc, OfTwoNormals) {
  // P(Y > X) = Φ(Δ/√2); standard error with 4000 + 4000 rows about 0.005.
  Stream stream(4, {kTaskSimulation});
  const Matrix random = stream.normal_matrix(4000, 1);
  const Matrix of_concept = stream.normal_matrix(4000, 1).array() + 1;
  EXPECT_NEAR(auc(random.col(0), of_concept.col(0)), normal_cdf(1 / std::sqrt(2.0)), 0.02);
}

TEST(Auc, RefusesEmptyAndNan) {
  EXPECT_THROW(auc(Vector{}, Vector{{1.0}}), std::invalid_argument);
  EXPECT_THROW(auc(Vector{{1.0}}, Vector{{NAN}}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
