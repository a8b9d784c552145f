#include "apps/paper/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"

namespace atcav::paper {
namespace {

TEST(Agreement, KeepsTheLargestDeviation) {
  Agreement agreement;
  agreement.add({1.0, 0.1}, 1.2);
  agreement.add({5.0, 0.0}, 5.0);
  EXPECT_NEAR(agreement.largest(), 2.0, 1e-12);
  EXPECT_TRUE(agreement.check("close").holds);
  EXPECT_FALSE(agreement.finding("closer", 1).holds);
  EXPECT_EQ(agreement.points(), 2);
}

TEST(Agreement, ADifferenceWithoutNoiseIsInfinite) {
  Agreement agreement;
  agreement.add({1.0, 0.0}, 2.0);
  EXPECT_FALSE(agreement.check("apart").holds);
}

TEST(SampleMoments, ErrorsOfTheNormalAreKnown) {
  // Var of the sample variance of a normal is 2σ⁴/R: standard error 2·√(2/R) for σ² = 2.
  Stream stream(1);
  const Vector values = stream.normal_matrix(100000, 1) * std::sqrt(2.0);
  const SampleMoments moments = sample_moments(values);
  EXPECT_NEAR(moments.mean.value, 0, 4 * moments.mean.error);
  EXPECT_NEAR(moments.variance.value, 2, 4 * moments.variance.error);
  EXPECT_NEAR(moments.variance.error, 2 * std::sqrt(2 / 1e5), 0.0003);
}

TEST(SampleMoments, ZerosAndOnesEquallyOftenStillHaveAnError) {
  // m₄ = m₂² there, so Var(s²) = 2σ⁴/(R(R-1)).
  Vector halves(1000);
  for (Index i = 0; i < halves.size(); ++i) halves(i) = i % 2 == 0 ? 1 : 0;
  EXPECT_NEAR(sample_moments(halves).variance.error, 0.25 * std::sqrt(2 / (1000.0 * 999.0)), 1e-9);
}

TEST(SampleMoments, RoundingIsNoVariance) {
  Vector values = Vector::Constant(100, 0.7);
  values(3) = 0.7 + 1e-16;
  EXPECT_EQ(sample_moments(values).variance.value, 0);
}

TEST(Share, BinomialError) {
  EXPECT_DOUBLE_EQ(share(20, 100).value, 0.2);
  EXPECT_DOUBLE_EQ(share(20, 100).error, 0.04);
}

TEST(FewestPlausible, IsTheExactBinomialQuantile) {
  // P(no head in 4) = 1/16, P(at most one) = 5/16.
  EXPECT_EQ(fewest_plausible(4, 0.5, 0.06), 0);
  EXPECT_EQ(fewest_plausible(4, 0.5, 0.07), 1);
  EXPECT_EQ(fewest_plausible(4, 0.5, 0.32), 2);
}

TEST(PowerLawExponent, OfAnExactPowerLaw) {
  EXPECT_NEAR(power_law_exponent({1, 2, 4, 9}, {5, 2.5, 1.25, 5.0 / 9}), -1, 1e-12);
}

}  // namespace
}  // namespace atcav::paper
