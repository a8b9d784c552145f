#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/random.h"
#include "atcav/theory.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

double log_density(const NormalLaw& law, double x) {
  return -0.5 * (std::log(law.variance) + (x - law.mean) * (x - law.mean) / law.variance);
}

TEST(ScoreLaw, MatchesSimulation) {
  // d = 3, pattern CAVs of 4 + 6 examples, a new concept example each time; normal data, 40,000 repeats.
  const TwoClasses classes{{Vector{{0.2, 0.1, -0.5}}, toeplitz_covariance(3, 0.2)},
                           {Vector{{1.0, 0.3, 0.4}}, toeplitz_covariance(3, 0.4)},
                           4,
                           6};
  constexpr int kRepeats = 40000;
  Stream stream(5, {kTaskSimulation});
  double sum = 0;
  double squares = 0;
  double within = 0;
  for (int r = 0; r < kRepeats; ++r) {
    const Matrix x1 = sample_toeplitz(classes.random.mean, 0.2, 4, stream);
    const Matrix x2 = sample_toeplitz(classes.of_concept.mean, 0.4, 6, stream);
    const Vector w = (x2.colwise().mean() - x1.colwise().mean()).transpose();
    const Matrix x = sample_toeplitz(classes.of_concept.mean, 0.4, 1, stream);
    const double g = x.row(0).dot(w) / std::sqrt(10.0);
    sum += g;
    squares += g * g;
    within += w.dot(classes.of_concept.covariance * w) / 10;
  }
  const ScoreLaw law = score_law(classes.of_concept, pattern_law(classes), 10);
  const double mean = sum / kRepeats;
  // Standard errors: mean 0.003, variances below 0.004.
  EXPECT_NEAR(law.total.mean, mean, 0.01);
  EXPECT_NEAR(law.total.variance, squares / kRepeats - mean * mean, 0.012);
  EXPECT_NEAR(law.within_variance, within / kRepeats, 0.012);
  EXPECT_LT(law.within_variance, law.total.variance);
}

TEST(OptimalThreshold, IsWhereTheDensitiesMeet) {
  for (const auto& [a, b] : {std::pair<NormalLaw, NormalLaw>{{0, 1}, {3, 2}},
                             {{3, 2}, {0, 1}},
                             {{0, 1}, {0, 4}},
                             {{0, 1}, {0.1, 100}},
                             {{5, 1}, {5.5, 1.0001}}}) {
    const double x = optimal_threshold(a, b).value;
    EXPECT_NEAR(log_density(a, x), log_density(b, x), 1e-12 * std::max(1.0, std::abs(log_density(a, x))))
        << x;
  }
  // Equal means, variances 1 and 4: x² (1 - 1/4) = ln 4.
  EXPECT_NEAR(std::abs(optimal_threshold({0, 1}, {0, 4}).value), std::sqrt(std::log(4.0) / 0.75), 1e-14);
}

TEST(OptimalThreshold, BeatsEveryOtherThreshold) {
  Stream stream(3, {kTaskSimulation});
  for (int repeat = 0; repeat < 200; ++repeat) {
    const NormalLaw random{0, std::exp(2 * stream.normal())};
    const NormalLaw of_concept{std::abs(stream.normal()), std::exp(2 * stream.normal())};
    const double eta = optimal_threshold(random, of_concept).value;
    const double error = classification_error(random, of_concept, eta);
    for (double x = -20; x <= 20; x += 0.01) {
      ASSERT_LE(error, classification_error(random, of_concept, x) + 1e-12) << eta << " " << x;
    }
  }
}

// The paper's Lemma (ii) places an intersection between any two different means; here both lie outside.
TEST(OptimalThreshold, MayLieOutsideTheMeans) {
  const Threshold eta = optimal_threshold({0, 1}, {0.1, 100});
  EXPECT_GT(eta.value, 0.1);
  EXPECT_FALSE(eta.reversed);
}

TEST(OptimalThreshold, DegenerateCases) {
  EXPECT_EQ(optimal_threshold({1, 2}, {4, 2}).value, 2.5);
  EXPECT_EQ(optimal_threshold({1, 2}, {1, 2}).value, 1);
  EXPECT_EQ(optimal_threshold({1, 0}, {1, 0}).value, 1);
  EXPECT_EQ(optimal_threshold({1, 0}, {3, 0}).value, 2);
  // Nearly equal variances: no cancellation.
  EXPECT_NEAR(optimal_threshold({0, 1}, {2, 1 + 1e-15}).value, 1, 1e-12);
  // The units of the scores may be tiny or huge.
  EXPECT_NEAR(optimal_threshold({0, 1e-200}, {1e-100, 2e-200}).value / 1e-100,
              optimal_threshold({0, 1}, {1, 2}).value, 1e-12);
  EXPECT_TRUE(std::isfinite(optimal_threshold({0, 1e300}, {1e150, 1e-300}).value));
}

TEST(OptimalThreshold, PointMassesAreClassifiedCorrectly) {
  const auto best_error = [](const NormalLaw& random, const NormalLaw& of_concept) {
    return classification_error(random, of_concept, optimal_threshold(random, of_concept).value);
  };
  EXPECT_EQ(best_error({0, 0}, {1, 0}), 0);
  EXPECT_EQ(best_error({1, 0}, {1, 0}), 0.5);
  EXPECT_NEAR(best_error({0, 0}, {1, 1}), normal_cdf(-1) / 2, 1e-15);
  EXPECT_NEAR(best_error({0, 1}, {1, 0}), normal_cdf(-1) / 2, 1e-15);
  EXPECT_NEAR(best_error({1, 0}, {1, 1}), 0.25, 1e-15);
  EXPECT_NEAR(best_error({1, 1}, {1, 0}), 0.25, 1e-15);
  EXPECT_EQ(best_error({1, 0}, {0, 0}), 1);
}

TEST(OptimalThreshold, ConceptBelowRandomIsReported) {
  const Threshold forward = optimal_threshold({0, 1}, {2, 3});
  const Threshold backward = optimal_threshold({2, 3}, {0, 1});
  EXPECT_FALSE(forward.reversed);
  EXPECT_TRUE(backward.reversed);
  EXPECT_EQ(forward.value, backward.value);
  EXPECT_NEAR(classification_error({0, 1}, {2, 3}, forward.value) +
                  classification_error({2, 3}, {0, 1}, forward.value),
              1, 1e-15);
}

TEST(ClassificationError, KnownValuesAndWeights) {
  EXPECT_NEAR(classification_error({-1, 1}, {1, 1}, 0), normal_cdf(-1), 1e-15);
  EXPECT_NEAR(classification_error({-1, 1}, {1, 4}, 0, 0.25), 0.75 * normal_cdf(-1) + 0.25 * normal_cdf(-0.5),
              1e-15);
  EXPECT_NEAR(classification_error({-1, 1}, {1, 1}, 1e9), 0.5, 1e-15);
  EXPECT_THROW(classification_error({0, 1}, {1, 1}, 0, 1.5), std::invalid_argument);
  EXPECT_THROW(classification_error({0, -1}, {1, 1}, 0), std::invalid_argument);
  EXPECT_THROW(classification_error({0, 1}, {1, 1}, NAN), std::invalid_argument);
}

TEST(ClassificationError, IsInvariantUnderPositiveScaling) {
  const NormalLaw random{-0.3, 0.5};
  const NormalLaw of_concept{0.9, 2};
  const double eta = optimal_threshold(random, of_concept).value;
  for (const double c : {1e-6, 0.5, 40.0}) {
    const NormalLaw scaled_random{c * random.mean, c * c * random.variance};
    const NormalLaw scaled_concept{c * of_concept.mean, c * c * of_concept.variance};
    EXPECT_NEAR(optimal_threshold(scaled_random, scaled_concept).value, c * eta, 1e-12 * c);
    EXPECT_NEAR(classification_error(scaled_random, scaled_concept, c * eta),
                classification_error(random, of_concept, eta), 1e-14);
  }
}

// Against a fine grid: the best threshold at any weights, ±infinity included.
TEST(OptimalThreshold, FollowsTheWeights) {
  Stream stream(4, {kTaskSimulation});
  for (int repeat = 0; repeat < 300; ++repeat) {
    const NormalLaw random{0, std::exp(2 * stream.normal())};
    const NormalLaw of_concept{std::abs(stream.normal()), std::exp(2 * stream.normal())};
    const double weight = stream.uniform();
    const double eta = optimal_threshold(random, of_concept, weight).value;
    const double error = classification_error(random, of_concept, eta, weight);
    ASSERT_LE(error, std::min(weight, 1 - weight) + 1e-15);
    for (double x = -20; x <= 20; x += 0.05)
      ASSERT_LE(error, classification_error(random, of_concept, x, weight) + 1e-12) << eta << " " << x;
  }
}

TEST(OptimalThreshold, WeightedKnownCases) {
  // Equal variances: midpoint + σ² log(c₁/c₂)/(μ₂ - μ₁).
  EXPECT_NEAR(optimal_threshold({0, 2}, {4, 2}, 0.1).value, 2 + 2 * std::log(9.0) / 4, 1e-14);
  // Turned round, with the weights where they belong.
  const Threshold turned = optimal_threshold({4, 2}, {0, 2}, 0.1);
  EXPECT_TRUE(turned.reversed);
  EXPECT_NEAR(turned.value, 2 - 2 * std::log(9.0) / 4, 1e-14);
  // Nothing to tell apart: everything is the heavier class, in error as often as the lighter one comes.
  for (const double weight : {0.0, 0.2, 0.9, 1.0}) {
    const double eta = optimal_threshold({1, 2}, {1, 2}, weight).value;
    EXPECT_TRUE(std::isinf(eta));
    EXPECT_EQ(classification_error({1, 2}, {1, 2}, eta, weight), std::min(weight, 1 - weight));
  }
  EXPECT_THROW(optimal_threshold({0, 1}, {1, 1}, 1.5), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
