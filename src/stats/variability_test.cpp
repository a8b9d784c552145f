#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "atcav/cav.h"
#include "atcav/random.h"
#include "atcav/theory.h"

namespace atcav::stats {
namespace {

TwoClasses example(Index n_random, Index n_concept) {
  return {{Vector{{0.5, -1.0, 0.0}}, toeplitz_covariance(3, 0.2)},
          {Vector{{1.5, 0.0, 2.0}}, toeplitz_covariance(3, 0.4)},
          n_random,
          n_concept};
}

TEST(PatternLaw, MatchesSimulation) {
  const TwoClasses classes = example(12, 5);
  constexpr Index kRepeats = 20000;
  Matrix pattern(kRepeats, 3);
  Matrix fast(kRepeats, 3);
  Stream stream(11, {kTaskSimulation});
  for (Index r = 0; r < kRepeats; ++r) {
    const Matrix x1 = sample_toeplitz(classes.random.mean, 0.2, 12, stream);
    const Matrix x2 = sample_toeplitz(classes.of_concept.mean, 0.4, 5, stream);
    pattern.row(r) = x2.colwise().mean() - x1.colwise().mean();
    fast.row(r) = x2.colwise().mean() - (x1.colwise().sum() + x2.colwise().sum()) / 17;
  }
  const auto compare = [](const Matrix& cavs, const CavLaw& law) {
    const Matrix centred = cavs.rowwise() - law.mean.transpose();
    // Entries of Cov w are below 0.29: standard errors are 0.004 (mean) and 0.003 (covariance).
    EXPECT_LT(centred.colwise().mean().cwiseAbs().maxCoeff(), 0.015);
    EXPECT_LT((centred.transpose() * centred / cavs.rows() - law.covariance).cwiseAbs().maxCoeff(), 0.012);
  };
  compare(pattern, pattern_law(classes));
  compare(fast, fast_law(classes));
}

TEST(FastLaw, IsHalfOfPatternWhenBalanced) {
  const CavLaw pattern = pattern_law(example(8, 8));
  const CavLaw fast = fast_law(example(8, 8));
  EXPECT_LT((fast.mean - pattern.mean / 2).norm(), 1e-15);
  EXPECT_LT((fast.covariance - pattern.covariance / 4).norm(), 1e-15);
}

TEST(ManyRandomLaw, IsTheLimitOfBoth) {
  const TwoClasses huge = example(1000000000, 6);
  const CavLaw limit = many_random_law(example(1, 6));
  EXPECT_LT((pattern_law(huge).mean - limit.mean).norm(), 1e-7);
  EXPECT_LT((pattern_law(huge).covariance - limit.covariance).norm(), 1e-7);
  EXPECT_LT((fast_law(huge).mean - limit.mean).norm(), 1e-7);
  EXPECT_LT((fast_law(huge).covariance - limit.covariance).norm(), 1e-7);
}

TEST(TotalVariance, IsTheSumOverEntries) {
  // Unit variances: Tr Σ = 3 for both classes.
  EXPECT_NEAR(total_variance(pattern_law(example(10, 5))), 3.0 / 10 + 3.0 / 5, 1e-15);
  // Fixed concept examples (Σ₂ = 0): Tr Σ₁ / n₁.
  TwoClasses fixed = example(10, 5);
  fixed.of_concept.covariance.setZero();
  EXPECT_NEAR(total_variance(pattern_law(fixed)), 0.3, 1e-15);
}

TEST(PopoviciuBound, IsReachedByTheIndicator) {
  EXPECT_EQ(popoviciu_bound(0, 1), 0.25);
  EXPECT_EQ(popoviciu_bound(-1, 3), 4);
  EXPECT_EQ(tcav_moments({.mu = 0, .sigma = 1, .samples = 9}).variance, popoviciu_bound(0, 1));
  EXPECT_THROW(popoviciu_bound(1, 0), std::invalid_argument);
}

// Owen's limit against logistic CAVs of 20,000 random examples. The mean of the fits within 4.5 of its
// standard errors and twice the next order of w, n₂e^q/n₁; Tr Cov within 4.5 of its own.
void expect_imbalanced_limit(const TwoClasses& classes, double rho, double cost, bool drawn) {
  constexpr int kRepeats = 100;
  const ImbalancedLogistic law = imbalanced_logistic(classes, cost);
  const Index d = law.mean.size();
  Stream stream(11, {kTaskSimulation, static_cast<std::uint64_t>(d)});
  Matrix fits(kRepeats, d);
  Matrix points = sample_toeplitz(Vector::Zero(d), 0, classes.n_concept, stream);
  points.rowwise() += (classes.of_concept.mean.transpose() - points.colwise().mean()).eval();
  for (int r = 0; r < kRepeats; ++r) {
    const Matrix random = sample_toeplitz(classes.random.mean, rho, classes.n_random, stream);
    if (drawn) points = sample_toeplitz(classes.of_concept.mean, 0.4, classes.n_concept, stream);
    fits.row(r) =
        fit_cav(random, points, {.method = CavMethod::kLogistic, .cost = cost}).direction.transpose();
  }
  const Matrix covariance = law.from_random + (drawn ? 1 : 0) * law.from_concept;
  const double next = static_cast<double>(classes.n_concept) / static_cast<double>(classes.n_random) *
                      std::exp(law.tilt) * law.mean.norm();
  const Vector mean = fits.colwise().mean().transpose();
  for (Index i = 0; i < d; ++i)
    EXPECT_NEAR(mean(i), law.mean(i), 4.5 * std::sqrt(covariance(i, i) / kRepeats) + 2 * next) << i;
  const Vector distances = (fits.rowwise() - mean.transpose()).rowwise().squaredNorm();
  const double found = distances.sum() / (kRepeats - 1);
  const double error = std::sqrt((distances.array() - distances.mean()).square().sum()) / kRepeats;
  EXPECT_NEAR(found, covariance.trace(), 4.5 * error);
  std::printf("n2 = %d, C = %g, concept %s: |mean w| %.4f, law %.4f; Tr Cov %.6f (SE %.6f), law %.6f\n",
              static_cast<int>(classes.n_concept), cost, drawn ? "drawn" : "held", mean.norm(),
              law.mean.norm(), found, error, covariance.trace());
}

TEST(ImbalancedLogistic, HeldConceptWithoutPenalty) {
  expect_imbalanced_limit({{Vector::Zero(3), toeplitz_covariance(3, 0.3)},
                           {Vector{{0.5, 0.1, -0.2}}, Matrix::Zero(3, 3)},
                           20000,
                           5},
                          0.3, 1e4, false);
}

TEST(ImbalancedLogistic, HeldConceptWithPenalty) {
  // C n₂ = 4: the penalty shortens and turns w.
  expect_imbalanced_limit({{Vector::Constant(4, 0.2), toeplitz_covariance(4, 0.6)},
                           {Vector{{1.2, 0.4, 0.2, -0.3}}, Matrix::Zero(4, 4)},
                           20000,
                           4},
                          0.6, 1, false);
}

TEST(ImbalancedLogistic, DrawnConcept) {
  expect_imbalanced_limit({{Vector::Zero(3), toeplitz_covariance(3, 0.2)},
                           {Vector{{0.4, 0.3, 0.0}}, toeplitz_covariance(3, 0.4)},
                           20000,
                           40},
                          0.2, 1e4, true);
}

TEST(ImbalancedLogistic, KnownCases) {
  // One column, Σ₁ = σ²: w = δ/σ², Cov = e^(δ²/σ²) (1/σ² + δ²/σ⁴)/n₁.
  const double infinite = std::numeric_limits<double>::infinity();
  const TwoClasses classes{
      {Vector{{1.0}}, Matrix::Constant(1, 1, 4)}, {Vector{{2.0}}, Matrix::Zero(1, 1)}, 100, 5};
  const ImbalancedLogistic law = imbalanced_logistic(classes, infinite);
  EXPECT_NEAR(law.mean(0), 0.25, 1e-15);
  EXPECT_NEAR(law.from_random(0, 0), std::exp(0.25) * (0.25 + 0.0625) / 100, 1e-15);
  EXPECT_EQ(law.from_concept(0, 0), 0);
  EXPECT_THROW(imbalanced_logistic(classes, 0), std::invalid_argument);
  const TwoClasses flat{{Vector::Zero(1), Matrix::Zero(1, 1)}, classes.of_concept, 100, 5};
  EXPECT_THROW(imbalanced_logistic(flat, infinite), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
