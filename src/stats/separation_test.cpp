#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/accuracy.h"
#include "atcav/random.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

TEST(MeasureSeparation, SmallExampleByHand) {
  const Separation s = measure_separation(Vector{{0.0, 1.0, 2.0, 3.0}}, Vector{{2.0, 4.0}}, 1.5);
  EXPECT_NEAR(s.random.mean, 1.5, 1e-15);
  EXPECT_NEAR(s.random.variance, 5.0 / 3, 1e-15);
  EXPECT_NEAR(s.of_concept.mean, 3, 1e-15);
  EXPECT_NEAR(s.of_concept.variance, 2, 1e-15);
  EXPECT_NEAR(s.accuracy, 0.5 * 0.5 + 0.5 * 1, 1e-15);
  EXPECT_NEAR(s.auc, (2 + 0.5 + 4) / 8, 1e-15);
  // Plain share of correct rows: 2 of 4 and 2 of 2.
  const Separation plain = measure_separation(Vector{{0.0, 1.0, 2.0, 3.0}}, Vector{{2.0, 4.0}}, 1.5, 2.0 / 6);
  EXPECT_NEAR(plain.accuracy, 4.0 / 6, 1e-15);
}

TEST(MeasureSeparation, PredictionMeetsCountOnNormalScores) {
  Stream stream(8, {kTaskSimulation});
  const Vector random = stream.normal_matrix(5000, 1).col(0);
  const Vector of_concept = (2 * stream.normal_matrix(3000, 1).col(0)).array() + 2.5;
  const double eta = optimal_threshold({0, 1}, {2.5, 4}).value;
  const Separation s = measure_separation(random, of_concept, eta);
  // Standard error of a balanced accuracy near 0.87 with these sizes: 0.004.
  EXPECT_NEAR(s.accuracy, s.predicted_accuracy, 0.015);
  EXPECT_NEAR(s.best.value, eta, 0.1);
  EXPECT_NEAR(s.auc, normal_cdf(2.5 / std::sqrt(5.0)), 0.015);
}

TEST(MeasureSeparation, DegenerateScoresGiveNumbers) {
  const Vector same = Vector::Constant(3, 7.0);
  for (const Vector& other : {Vector(Vector::Constant(1, 7.0)), Vector(Vector::Constant(2, 9.0)),
                              Vector(Vector::Constant(2, 5.0)), Vector{{7.0, 8.0}}}) {
    for (const double threshold : {7.0, 8.0}) {
      const Separation s = measure_separation(same, other, threshold);
      for (const double field : {s.best.value, s.predicted_accuracy, s.accuracy, s.auc}) {
        EXPECT_TRUE(std::isfinite(field));
      }
    }
  }
  EXPECT_EQ(measure_separation(same, same, 7).auc, 0.5);
  EXPECT_EQ(measure_separation(same, same, 7).accuracy, 0.5);
  EXPECT_EQ(measure_separation(same, same, 7).predicted_accuracy, 0.5);
  EXPECT_TRUE(measure_separation(same, Vector::Constant(2, 5.0), 7).best.reversed);
}

TEST(MeasureSeparation, RefusesBadInput) {
  EXPECT_THROW(measure_separation(Vector{}, Vector{{1.0}}, 0), std::invalid_argument);
  EXPECT_THROW(measure_separation(Vector{{1.0}}, Vector{{1.0}}, NAN), std::invalid_argument);
  EXPECT_THROW(measure_separation(Vector{{1.0}}, Vector{{1.0}}, 0, -0.1), std::invalid_argument);
}

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
