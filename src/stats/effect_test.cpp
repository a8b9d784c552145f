#include "atcav/effect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "atcav/accuracy.h"
#include "atcav/random.h"
#include "stats/testing_rows.h"

namespace atcav::stats {
namespace {

double variance_of(const Vector& x) {
  return (x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1);
}

// From rows, as the definitions say it.
Effect effect_of(const Matrix& z, const Matrix& concept_rows, const Matrix& random_rows) {
  const Vector s = z * (concept_rows.colwise().mean() - random_rows.colwise().mean()).transpose();
  const Vector mean = z.colwise().mean();
  const auto nc = static_cast<double>(concept_rows.rows());
  const auto nr = static_cast<double>(random_rows.rows());
  Vector errors(z.rows());
  for (Index j = 0; j < z.rows(); ++j) {
    errors(j) = std::sqrt(variance_of(concept_rows * z.row(j).transpose()) / nc +
                          variance_of(random_rows * z.row(j).transpose()) / nr);
  }
  const double of_concept = variance_of(concept_rows * mean);
  const double random = variance_of(random_rows * mean);
  return measure_effect(s, errors,
                        {VariancePart{of_concept / nc, nc - 1}, VariancePart{random / nr, nr - 1}, {}},
                        {.count = random_rows.rows(), .variance = random}, 0.95);
}

// Reference values: NumPy and SciPy, written from the formulas.
TEST(MeasureEffect, AgreesWithNumpy) {
  const TestingRows rows = testing_rows();
  const Effect effect = effect_of(rows.gradients, rows.concept_rows, rows.random_rows);
  EXPECT_NEAR(effect.logits, 0.9540210251004607, 1e-12);
  EXPECT_NEAR(effect.p, 0.18097611906205718, 1e-10);
  EXPECT_NEAR(effect.interval.low, -0.6942434388244093, 1e-8);
  EXPECT_NEAR(effect.interval.high, 2.6022854890253306, 1e-8);
  EXPECT_NEAR(effect.degrees, 3.861425800642107, 1e-9);
  EXPECT_NEAR(effect.d.value(), 1.707949910891441, 1e-12);
  EXPECT_NEAR(effect.error_inputs, std::sqrt(0.2839764159624644), 1e-12);
  EXPECT_NEAR(effect.error_examples, std::hypot(effect.error_concept, effect.error_random), 1e-15);
}

TEST(MeasureEffect, NothingVaries) {
  const MeanNoise none = {VariancePart{0, 3}, VariancePart{0, 3}, {}};
  const RandomSpread spread = {.count = 4, .variance = 0};
  EXPECT_EQ(measure_effect(Vector::Zero(3), Vector::Zero(3), none, spread, 0.95).p, 1);
  const Effect sure = measure_effect(Vector::Ones(3), Vector::Zero(3), none, spread, 0.95);
  EXPECT_EQ(sure.p, 0);
  EXPECT_EQ(sure.interval.low, 1);
  EXPECT_FALSE(sure.d.has_value());
  EXPECT_EQ(sure.d_interval.low, -HUGE_VAL);
  EXPECT_EQ(sure.d_interval.high, HUGE_VAL);
}

// Examples explain more than all of the inputs' spread: nothing is left of their part, and it is not known to
// be nothing. (1 + 3/3 - 3/3)²/(1/19 + (3/3)²/2) = 1.81.
TEST(MeasureEffect, APartThatIsTakenOffIsStillUncertain) {
  const Vector s = Eigen::Vector3d(-1, 0.5, 2) * std::sqrt(3 / 2.25);
  const Effect effect = measure_effect(s, Vector::Constant(3, 10), {{}, {}, VariancePart{1, 19}},
                                       {.count = 40, .variance = 4}, 0.95);
  EXPECT_EQ(effect.error_inputs, 0);
  EXPECT_NEAR(effect.degrees, 1 / (1.0 / 19 + 0.5), 1e-12);
}

TEST(MeasureEffect, OneInputHasNoInputsPart) {
  const Effect effect = measure_effect(Vector::Ones(1), Vector::Ones(1), {{}, {}, VariancePart{1, 19}},
                                       {.count = 40, .variance = 4}, 0.95);
  EXPECT_EQ(effect.error_inputs, 0);
  EXPECT_DOUBLE_EQ(effect.degrees, 19);
  EXPECT_NEAR(effect.p, 0.329877, 1e-6);  // 2 P(t₁₉ > 1), from tables
  EXPECT_DOUBLE_EQ(effect.d.value(), 0.5);
}

TEST(MeasureEffect, RefusesWhatCannotBe) {
  EXPECT_THROW(measure_effect(Vector::Ones(2), Vector::Ones(1), {}, {}, 0.95), std::invalid_argument);
  EXPECT_THROW(measure_effect(Vector::Ones(2), Vector::Ones(2), {}, {}, 0.95), std::invalid_argument);
}

// V of d is 4 and 9 ten-thousandths from the sets and 3 from 31 inputs; kurtosis 5 of 100 rows and 10 of 400.
// se(V) is √((4·√(4/100))² + (9·√(9/400))²) = √(0.64 + 1.8225) of 16 ten-thousandths.
TEST(StoppedByWidth, AddsTheStandardErrorOfTheVariance) {
  const Index m = 31;
  Vector s = Vector::LinSpaced(m, -1, 1);
  s *= std::sqrt(m * 3e-4 / (s.squaredNorm() / (m - 1)));
  const RandomSpread random = {.count = 400, .variance = 1, .kurtosis = 10};
  const RandomSpread of_concept = {.count = 100, .variance = 1, .kurtosis = 5};
  const MeanNoise noise = {VariancePart{4e-4, 99}, VariancePart{9e-4, 399}, {}};
  const Effect before = measure_effect(s, Vector::Zero(m), noise, random, 0.95);
  ASSERT_NEAR(before.d_error * before.d_error, 16e-4, 1e-12);
  const Effect after = stopped_by_width(before, random, of_concept);
  const double factor = std::sqrt(1 + std::sqrt(0.64 + 1.8225) / 16);
  const auto width = [](const Interval& interval) { return interval.high - interval.low; };
  EXPECT_NEAR(width(after.d_interval), factor * width(before.d_interval), 1e-12);
  EXPECT_NEAR(width(after.interval), factor * width(before.interval), 1e-12);
  EXPECT_NEAR(after.error_examples, factor * before.error_examples, 1e-12);
  EXPECT_EQ(after.d, before.d);
  EXPECT_EQ(after.degrees, before.degrees);
  EXPECT_EQ(stopped_by_width(Effect{}, random, of_concept).p, 1);
}

// 0 at the edge of the wider interval is 5 %.
TEST(StoppedByWidth, PAndIntervalAgree) {
  const RandomSpread random = {.count = 50, .variance = 1, .kurtosis = 6};
  const MeanNoise noise = {VariancePart{0.02, 49}, VariancePart{0.03, 49}, {}};
  const auto effect_at = [&](double logits) {
    return stopped_by_width(measure_effect(Vector::Constant(1, logits), Vector::Zero(1), noise, random, 0.95),
                            random, random);
  };
  double edge = 0.4;
  for (int step = 0; step < 50; ++step)
    edge = (effect_at(edge).interval.high - effect_at(edge).interval.low) / 2;
  EXPECT_NEAR(effect_at(edge).interval.low, 0, 1e-12);
  EXPECT_NEAR(effect_at(edge).p, 0.05, 1e-10);
}

// Both sides of the definition: p < 0.05 and the 90 % interval of d inside the bound.
TEST(EquivalenceP, IsBelowFivePercentWhereTheNinetyPercentIntervalIsInside) {
  const TestingRows rows = testing_rows();
  const Effect at90 = [&] {
    Effect effect = effect_of(rows.gradients, rows.concept_rows, rows.random_rows);
    const double reach = (effect.d_interval.high - effect.d_interval.low) / 2;
    EXPECT_GT(reach, effect.d_error);
    return effect;
  }();
  const double d = at90.d.value();
  const double edge = d + 1.6448536269514722 * at90.d_error;  // of a normal law: t is wider
  EXPECT_GT(equivalence_p(at90, edge), 0.05);
  EXPECT_NEAR(equivalence_p(at90, d), 0.5, 1e-12);
  Effect normal = at90;
  normal.d_degrees = 1e9;
  EXPECT_NEAR(equivalence_p(normal, edge), 0.05, 1e-6);
  normal.d = -d;
  EXPECT_NEAR(equivalence_p(normal, edge), 0.05, 1e-6);
  EXPECT_EQ(equivalence_p(Effect{}, 0.2), 1);
  EXPECT_THROW(equivalence_p(normal, 0), std::invalid_argument);
}

TEST(MeasureEffectOfDirection, IsTheOneSampleTTest) {
  // scipy.stats.ttest_1samp([1, 2, 4], 0): p = 0.11808; t.ppf(0.975, 2) = 4.3026527.
  const Effect effect = measure_effect_of_direction(Eigen::Vector3d(1, 2, 4), 0.95);
  EXPECT_NEAR(effect.p, 0.1181, 5e-5);
  const double error = std::sqrt((16.0 / 9 + 1.0 / 9 + 25.0 / 9) / 2 / 3);
  EXPECT_NEAR(effect.interval.high, 7.0 / 3 + 4.3026527297 * error, 1e-8);
  EXPECT_TRUE(std::isinf(measure_effect_of_direction(Vector::Ones(1), 0.95).interval.high));
}

// In two dimensions the angle is uniform: P(|cos| ≥ c) = 2·acos(c)/π. In three u₁ is uniform on [-1, 1]. In a
// thousand √d·u₁ is nearly normal. A share of 20,000 drawn directions has a standard error of at most 0.0036.
TEST(RandomDirectionP, IsTheShareOfTheSphere) {
  const double pi = std::acos(-1.0);
  for (const double c : {0.0, 0.2, -0.7, 1.0}) {
    EXPECT_NEAR(random_direction_p(c, 2), 2 * std::acos(std::abs(c)) / pi, 1e-12);
    EXPECT_NEAR(random_direction_p(c, 3), 1 - std::abs(c), 1e-12);
    EXPECT_EQ(random_direction_p(c, 1), 1);
  }
  EXPECT_NEAR(random_direction_p(2 / std::sqrt(1000.0), 1000), 0.0455, 2e-4);
  const Matrix drawn = Stream(5).normal_matrix(20000, 7);
  const double share =
      (drawn.col(0).array().abs() >= 0.4 * drawn.rowwise().norm().array()).cast<double>().mean();
  EXPECT_NEAR(random_direction_p(0.4, 7), share, 4 * 0.0036);
  EXPECT_THROW(random_direction_p(0.5, 0), std::invalid_argument);
}

TEST(AucInterval, AgreesWithDeLongInNumpy) {
  const TestingRows rows = testing_rows();
  const Vector mean = rows.gradients.colwise().mean();
  const Interval interval = auc_interval(rows.random_rows * mean, rows.concept_rows * mean, 0.95);
  EXPECT_NEAR(interval.low, 0.6370263759963514, 1e-10);
  EXPECT_NEAR(interval.high, 0.9641983274689907, 1e-10);
}

}  // namespace
}  // namespace atcav::stats
