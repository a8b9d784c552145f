#include "atcav/variability.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/class_law.h"
#include "atcav/distribution.h"
#include "atcav/random.h"

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

}  // namespace
}  // namespace atcav::stats
