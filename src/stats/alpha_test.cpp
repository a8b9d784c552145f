#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "atcav/random.h"
#include "atcav/score.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

// Paper, Table "alpha_star_values": every row is 1 : 1/2 : 1/3 for s = 2, 5, 10, e.g. 2.35, 1.18, 0.78.
TEST(AlphaStar, RatiosOfThePaper) {
  const Vector s = Stream(1).normal_matrix(50, 1).array() + 0.7;
  const double gamma = root_mean_square(s);
  const double sigma = sigma_effective(s, 1000);
  const double two = alpha_star(gamma, sigma, 1000, 2);
  EXPECT_NEAR(alpha_star(gamma, sigma, 1000, 5) / two, 1.0 / 2, 1e-15);
  EXPECT_NEAR(alpha_star(gamma, sigma, 1000, 10) / two, 1.0 / 3, 1e-15);
}

TEST(AlphaStar, IsThePapersFormula) {
  // (γ/σ) √(n/(τ₁(1-1/s))) with n = N/s.
  EXPECT_NEAR(alpha_star(2, 30, 600, 10), 2.0 / 30 * std::sqrt(60 / (kTau1 * 0.9)), 1e-14);
  EXPECT_THROW(alpha_star(2, 30, 600, 1), std::invalid_argument);
}

TEST(AlphaDagger, IsStarTimesRootOfRunsMinusOne) {
  for (const Index runs : {2, 3, 10, 50}) {
    EXPECT_NEAR(alpha_dagger(2, 30, 600) / alpha_star(2, 30, 600, runs), std::sqrt(runs - 1.0), 1e-12);
  }
  EXPECT_TRUE(std::isinf(alpha_dagger(2, 0, 600)));
}

// N cancels: the paper's α† does not grow with the data.
TEST(AlphaDagger, DoesNotDependOnTheBudget) {
  const Vector s = Stream(2).normal_matrix(40, 1);
  const double gamma = root_mean_square(s);
  EXPECT_NEAR(alpha_dagger(gamma, sigma_effective(s, 100), 100),
              alpha_dagger(gamma, sigma_effective(s, 9999), 9999), 1e-12);
}

// The mean of ten equal numbers rounds, so their deviations need not be 0: a last linear layer does this.
TEST(SigmaEffective, OfEqualSensitivitiesIsZero) {
  for (const double value : {1.5130901942043913, 0.1, 1e-30, -7e12, 0.0}) {
    const Vector s = Vector::Constant(10, value);
    EXPECT_EQ(sigma_effective(s, 600), 0);
    EXPECT_TRUE(std::isinf(alpha_dagger(root_mean_square(s), sigma_effective(s, 600), 600)));
  }
  // A true spread of 1e-9 of the size stays: ±h about 1 has sd h.
  EXPECT_NEAR(sigma_effective(Eigen::Vector2d(1 - 1e-9, 1 + 1e-9), 1), 1e-9, 1e-15);
}

TEST(RootMeanSquare, HasTheEpsilonOfThePaper) {
  EXPECT_DOUBLE_EQ(root_mean_square(Vector::Zero(3)), 1e-8);
  EXPECT_DOUBLE_EQ(root_mean_square(Eigen::Vector2d(3, -3)), 3 + 1e-8);
}

}  // namespace
}  // namespace atcav::stats
