#include "atcav/posterior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/random.h"
#include "stats/normal.h"
#include "stats/testing_rows.h"

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

// Reference values: NumPy, with dense solves for each prior.
TEST(SharedPosterior, AgreesWithNumpy) {
  const TestingRows rows = testing_rows();
  const auto noise = [&](const Matrix& x) -> Matrix {
    const Matrix centred = (rows.gradients * (x.rowwise() - x.colwise().mean()).transpose());
    const auto n = static_cast<double>(x.rows());
    return centred * centred.transpose() / (n - 1) / n;
  };
  const Vector difference = rows.concept_rows.colwise().mean() - rows.random_rows.colwise().mean();
  const Vector p =
      shared_posterior(rows.gradients * difference, noise(rows.concept_rows) + noise(rows.random_rows),
                       rows.gradients * rows.gradients.transpose());
  const std::vector<double> expected = {9.98642476e-01, 9.71630788e-01, 9.63876694e-05,
                                        2.00713733e-01, 9.98890896e-01, 9.41272124e-01};
  for (Index j = 0; j < 6; ++j) EXPECT_NEAR(p(j), expected[static_cast<std::size_t>(j)], 1e-8) << j;
}

// One input: S/se ~ N(θ, 1) after the regularisation, θ ~ N(0, τ²), and the mixture over τ² by hand.
TEST(SharedPosterior, OneInputByHand) {
  double weights = 0;
  double expected = 0;
  for (int k = 0; k < 25; ++k) {
    const double tau = std::pow(10.0, -2.5 + 6.0 * k / 24);
    const double weight = std::exp(-0.5 * 4 / (1 + tau)) / std::sqrt(1 + tau);
    weights += weight;
    expected += weight * 0.5 * std::erfc(-2 * std::sqrt(tau / (1 + tau)) / std::sqrt(2.0));
  }
  const Vector p =
      shared_posterior(Vector::Constant(1, 6.0), Matrix::Constant(1, 1, 9.0), Matrix::Ones(1, 1));
  EXPECT_NEAR(p(0), expected / weights, 1e-12);
}

TEST(SharedPosterior, DegenerateInputs) {
  const Vector s = Eigen::Vector3d(1, -1, 0);
  EXPECT_EQ(shared_posterior(s, Matrix::Zero(3, 3), Matrix::Identity(3, 3)), Eigen::Vector3d(1, 0, 0.5));
  EXPECT_TRUE(shared_posterior(s, Matrix::Identity(3, 3), Matrix::Zero(3, 3))
                  .isApprox(Vector::Constant(3, 0.5), 1e-12));
}

TEST(Reliability, CountsByHand) {
  const Reliability result = reliability(Eigen::Vector4d(0, 0.9, 1, 1), Eigen::Vector4d(0, 1, 1, 0), 2);
  EXPECT_EQ(result.bins[0].count, 1);
  EXPECT_EQ(result.bins[1].count, 3);
  EXPECT_NEAR(result.bins[1].mean_probability, 2.9 / 3, 1e-15);
  EXPECT_NEAR(result.bins[1].share_true, 2.0 / 3, 1e-15);
  EXPECT_NEAR(result.expected_calibration_error, 0.9 / 4, 1e-15);
  EXPECT_NEAR(result.brier, (0.01 + 1) / 4, 1e-15);
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
  // E p(1-p) of a uniform p; four standard errors of 100,000 squares.
  EXPECT_NEAR(reliability(p, outcome).brier, 1.0 / 6, 0.003);
}

}  // namespace

}  // namespace atcav::stats
