#include "atcav/stats/posterior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/base/random.h"
#include "atcav/stats/normal.h"

namespace atcav::stats {
namespace {

TEST(FlatPosterior, IsTheNormalOfTheRatio) {
  const Vector p = flat_posterior(Eigen::Vector3d(1, -2, 0), Eigen::Vector3d(1, 1, 5));
  EXPECT_NEAR(p(0), normal_cdf(1), 1e-15);
  EXPECT_NEAR(p(1), normal_cdf(-2), 1e-15);
  EXPECT_EQ(p(2), 0.5);
}

TEST(FlatPosterior, ZeroErrorLeavesTheSign) {
  EXPECT_EQ(flat_posterior(Eigen::Vector3d(1, -2, 0), Vector::Zero(3)), Eigen::Vector3d(1, 0, 0.5));
}

TEST(EmpiricalBayes, NoEvidenceIsOneHalf) {
  const EmpiricalBayes result = empirical_bayes(Eigen::Vector3d(0.1, -0.2, 0.1), Vector::Ones(3));
  EXPECT_EQ(result.tau_squared, 0);
  EXPECT_EQ(result.probability, Vector::Constant(3, 0.5));
  EXPECT_EQ(empirical_bayes(Vector::Zero(2), Vector::Zero(2)).probability, Vector::Constant(2, 0.5));
}

TEST(EmpiricalBayes, LessConfidentThanFlatAndTendsToIt) {
  const Vector s = Eigen::Vector3d(3, -1, 2);
  const Vector se = Vector::Ones(3);
  const Vector flat = flat_posterior(s, se);
  const EmpiricalBayes result = empirical_bayes(s, se);
  EXPECT_NEAR(result.tau_squared, (8.0 + 0 + 3) / 3, 1e-14);
  for (Index j = 0; j < 3; ++j) EXPECT_LT(std::abs(result.probability(j) - 0.5), std::abs(flat(j) - 0.5));
  const EmpiricalBayes sharp = empirical_bayes(s, 1e-3 * se);
  EXPECT_NEAR(sharp.probability(1), 0, 1e-12);
}

// The model itself: true values from N(0, τ²), noise se: P(true > 0 | S) is what is reported.
TEST(EmpiricalBayes, CalibratedUnderItsModel) {
  Stream stream(5);
  constexpr Index kInputs = 200000;
  Vector truth(kInputs);
  Vector s(kInputs);
  for (Index j = 0; j < kInputs; ++j) {
    truth(j) = 0.5 * stream.normal();
    s(j) = truth(j) + stream.normal();
  }
  const EmpiricalBayes result = empirical_bayes(s, Vector::Ones(kInputs));
  // Five standard errors of a mean of kInputs indicators and of τ².
  EXPECT_NEAR(result.tau_squared, 0.25, 5 * std::sqrt(2 * 1.25 * 1.25 / kInputs));
  double excess = 0;
  double weight = 0;
  for (Index j = 0; j < kInputs; ++j) {
    if (result.probability(j) < 0.6) continue;
    excess += (truth(j) > 0 ? 1.0 : 0.0) - result.probability(j);
    weight += 1;
  }
  EXPECT_NEAR(excess / weight, 0, 5 * 0.5 / std::sqrt(weight));
}

TEST(EmpiricalBayes, RefusesNegativeErrors) {
  EXPECT_THROW(empirical_bayes(Vector::Ones(2), Eigen::Vector2d(1, -1)), std::invalid_argument);
  EXPECT_THROW(flat_posterior(Vector::Ones(2), Vector::Ones(3)), std::invalid_argument);
}

TEST(Reliability, CountsByHand) {
  const Reliability result = reliability(Eigen::Vector4d(0, 0.9, 1, 1), Eigen::Vector4d(0, 1, 1, 0), 2);
  EXPECT_EQ(result.bins[0].count, 1);
  EXPECT_EQ(result.bins[1].count, 3);
  EXPECT_NEAR(result.bins[1].mean_probability, 2.9 / 3, 1e-15);
  EXPECT_NEAR(result.bins[1].share_true, 2.0 / 3, 1e-15);
  EXPECT_NEAR(result.expected_calibration_error, 0.9 / 4, 1e-15);
  EXPECT_THROW(reliability(Vector::Constant(1, 1.5), Vector::Ones(1)), std::invalid_argument);
}

TEST(Reliability, HonestProbabilitiesHaveNoError) {
  Stream stream(1);
  constexpr Index kCount = 100000;
  Vector p(kCount);
  Vector outcome(kCount);
  for (Index i = 0; i < kCount; ++i) {
    p(i) = stream.uniform();
    outcome(i) = stream.uniform() < p(i) ? 1 : 0;
  }
  // 15 bins of 6,667: each share's standard error is at most 0.006, their mean absolute value less.
  EXPECT_LT(reliability(p, outcome).expected_calibration_error, 0.01);
}

}  // namespace

}  // namespace atcav::stats
