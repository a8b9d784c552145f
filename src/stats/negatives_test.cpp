#include "stats/negatives.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

double chi2_of(const Vector& weights) {
  return static_cast<double>(weights.size()) * weights.squaredNorm() - 1;
}

// As long as no weight would be negative, χ² is the squared shift over the variance (divisor n).
TEST(NearestWeights, AreALineForSmallShifts) {
  const Vector values = Stream(1).normal_matrix(200, 1);
  const double mean = values.mean();
  const double variance = (values.array() - mean).square().mean();
  for (const double shift : {0.1, -0.2}) {
    const Vector weights = nearest_weights(values, mean + shift);
    EXPECT_NEAR(weights.sum(), 1, 1e-12);
    EXPECT_NEAR(weights.dot(values), mean + shift, 1e-12);
    EXPECT_NEAR(chi2_of(weights), shift * shift / variance, 1e-12);
  }
}

// Any other weights with that mean are further away: random feasible ones, built by moving along directions
// that keep sum and mean.
TEST(NearestWeights, NoOthersWithThatMeanAreNearer) {
  const Vector values = Stream(2).normal_matrix(30, 1).array().exp();
  const double mean = values.mean() + 0.6 * (values.maxCoeff() - values.mean());
  const Vector best = nearest_weights(values, mean);
  EXPECT_GE(best.minCoeff(), 0);
  EXPECT_EQ((best.array() == 0).any(), true);  // some rows are left out altogether
  EXPECT_NEAR(best.dot(values), mean, 1e-9);
  Stream stream(3);
  int tried = 0;
  for (int i = 0; i < 2000; ++i) {
    Vector move = stream.normal_matrix(30, 1);
    for (Index r = 0; r < 30; ++r) move(r) = best(r) == 0 ? std::abs(move(r)) : move(r);
    // Out of the span of 1 and the values, over the rows with weight alone.
    Matrix span(30, 2);
    span << (best.array() > 0).cast<double>(), ((best.array() > 0).cast<double>() * values.array()).matrix();
    Matrix all(30, 2);
    all << Vector::Ones(30), values;
    move -= span * (all.transpose() * span).inverse() * (all.transpose() * move);
    const Vector other = best + 1e-3 * move;
    if (other.minCoeff() < 0) continue;
    ++tried;
    ASSERT_NEAR(other.dot(values), best.dot(values), 1e-9);
    EXPECT_GE(chi2_of(other), chi2_of(best) - 1e-12);
  }
  EXPECT_GT(tried, 100);
}

TEST(WeightedMeanVariance, IsTheUsualOneForEvenWeights) {
  const Vector values = Stream(4).normal_matrix(50, 1);
  const Vector even = Vector::Constant(50, 0.02);
  const double usual = (values.array() - values.mean()).square().sum() / 49 / 50;
  EXPECT_NEAR(weighted_mean_variance(values, even, {}), usual, 1e-14);
  Groups pairs;
  for (Index i = 0; i < 50; ++i) pairs.of_row.push_back(i / 2);
  pairs.count = 25;
  Vector means(25);
  for (Index g = 0; g < 25; ++g) means(g) = (values(2 * g) + values(2 * g + 1)) / 2;
  EXPECT_NEAR(weighted_mean_variance(values, even, pairs),
              (means.array() - means.mean()).square().sum() / 24 / 25, 1e-14);
}

// Of one input: Welch's test by hand.
Effect welch(const Vector& random, const Vector& of_concept) {
  const auto n1 = static_cast<double>(random.size());
  const auto n2 = static_cast<double>(of_concept.size());
  const double v1 = (random.array() - random.mean()).square().sum() / (n1 - 1);
  const double v2 = (of_concept.array() - of_concept.mean()).square().sum() / (n2 - 1);
  MeanNoise noise{VariancePart{v2 / n2, n2 - 1}, VariancePart{v1 / n1, n1 - 1}, {}};
  const Vector s = Vector::Constant(1, of_concept.mean() - random.mean());
  RandomSpread spread;
  spread.count = random.size();
  spread.variance = v1;
  return measure_effect(s, Vector::Constant(1, std::sqrt(v1 / n1 + v2 / n2)), noise, spread, 0.95);
}

TEST(OtherNegatives, TheIntervalJustHoldsZeroThere) {
  const Vector random = Stream(5).normal_matrix(300, 1);
  for (const double shift : {0.6, -0.6}) {
    const Vector of_concept = Stream(6).normal_matrix(60, 1).array() + shift;
    const Effect effect = welch(random, of_concept);
    const Negatives found = other_negatives(random, {}, {}, effect, 0.95);
    ASSERT_TRUE(found.chi2);
    // Were the error the same for uneven weights: the way from the interval's near end to 0, in sd of the
    // rows.
    const double end = shift > 0 ? effect.interval.low : -effect.interval.high;
    const double plain = end * end / (random.array() - random.mean()).square().mean();
    EXPECT_NEAR(*found.chi2, plain, 0.2 * plain);
    ASSERT_EQ(found.line.size(), 13U);
    EXPECT_EQ(found.line.front().chi2, 0);
    EXPECT_EQ(found.line.front().interval.low, effect.interval.low);
    for (const Negatives::Point& point : found.line) {
      const bool holds = point.interval.low <= 0 && point.interval.high >= 0;
      EXPECT_EQ(holds, point.chi2 >= *found.chi2) << point.chi2;
    }
  }
}

TEST(OtherNegatives, AnEffectBeyondAllRandomRowsStays) {
  const Vector random = Stream(7).normal_matrix(100, 1);
  const Vector of_concept = Stream(8).normal_matrix(50, 1).array() + 20;
  const Negatives found = other_negatives(random, {}, {}, welch(random, of_concept), 0.95);
  EXPECT_FALSE(found.chi2);
  EXPECT_EQ(found.line.size(), 13U);
}

TEST(OtherNegatives, NothingFoundNeedsNoOthers) {
  const Vector random = Stream(9).normal_matrix(100, 1);
  const Vector same = Stream(10).normal_matrix(50, 1);
  const Negatives found = other_negatives(random, {}, {}, welch(random, same), 0.95);
  EXPECT_EQ(found.chi2, 0);
  EXPECT_TRUE(found.line.empty());
}

// Left out, a stratum is as if it had never been there.
TEST(OtherNegatives, StrataAreLeftOutOneByOne) {
  Vector random = Stream(11).normal_matrix(120, 1);
  random.tail(40).array() -= 3;  // pictures from indoors, say
  std::vector<std::string> strata(80, "outdoor");
  strata.resize(120, "indoor");
  const Vector of_concept = Stream(12).normal_matrix(60, 1);
  const Effect effect = welch(random, of_concept);
  EXPECT_GT(effect.interval.low, 0);
  const Negatives found = other_negatives(random, {}, strata, effect, 0.95);
  ASSERT_EQ(found.strata.size(), 2U);
  const Stratum& indoor = found.strata[0];
  EXPECT_EQ(indoor.name, "indoor");
  EXPECT_EQ(indoor.rows, 40);
  const Effect without = welch(random.head(80), of_concept);
  EXPECT_NEAR(indoor.logits, without.logits, 1e-12);
  // Only the degrees of freedom are those of all rows.
  EXPECT_NEAR(indoor.interval.low, without.interval.low, 0.01);
  EXPECT_GT(indoor.p, 0.05);
  EXPECT_LT(found.strata[1].p, 0.001);
}

}  // namespace
}  // namespace atcav::stats
