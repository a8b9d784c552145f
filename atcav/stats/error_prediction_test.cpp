#include "atcav/stats/error_prediction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/base/random.h"
#include "atcav/stats/cav.h"
#include "atcav/stats/class_law.h"

namespace atcav::stats {
namespace {

constexpr double kRho1 = 0.2;
constexpr double kRho2 = 0.4;

// The paper's synthetic data: Toeplitz 0.2 and 0.4, μ₂ = -μ₁ random; |μ| = 1 and d = 100.
TwoClasses synthetic(Index n_random, Index n_concept) {
  constexpr Index kDimension = 100;
  Stream stream(31, {kTaskSimulation});
  Vector mean = stream.normal_matrix(kDimension, 1).col(0);
  mean.normalize();
  return {{mean, toeplitz_covariance(kDimension, kRho1)},
          {-mean, toeplitz_covariance(kDimension, kRho2)},
          n_random,
          n_concept};
}

// Balanced error of the rule at `threshold`, counted on new rows of newly fitted CAVs: 40 CAVs × 1,000 rows.
// Its standard error is below 0.0025 (rows) and 0.002 (CAVs); the issue asks for agreement within 0.01.
double simulated_error(const TwoClasses& classes, const CavOptions& options, double threshold) {
  constexpr int kRepeats = 40;
  constexpr Index kRows = 500;
  const double n = static_cast<double>(classes.n_random + classes.n_concept);
  double wrong = 0;
  for (int r = 0; r < kRepeats; ++r) {
    Stream stream(32, {kTaskSimulation, static_cast<std::uint64_t>(r)});
    const auto draw = [&](const ClassLaw& law, double rho, Index rows) {
      return sample_toeplitz(law.mean, rho, rows, stream);
    };
    const Matrix x1 = draw(classes.random, kRho1, classes.n_random);
    const Matrix x2 = draw(classes.of_concept, kRho2, classes.n_concept);
    const Vector w = fit_cav(x1, x2, options).direction / std::sqrt(n);
    wrong += static_cast<double>(((draw(classes.random, kRho1, kRows) * w).array() > threshold).count());
    wrong += static_cast<double>(((draw(classes.of_concept, kRho2, kRows) * w).array() <= threshold).count());
  }
  return wrong / (2 * kRepeats * kRows);
}

TEST(PredictError, PatternAndFastMatchSimulation) {
  for (const Index n_concept : {150, 60}) {
    const TwoClasses classes = synthetic(150, n_concept);
    const ErrorPrediction by_pattern = predict_error(classes, pattern_law(classes));
    const ErrorPrediction by_fast = predict_error(classes, fast_law(classes));
    EXPECT_NEAR(by_pattern.error,
                simulated_error(classes, {.method = CavMethod::kPattern}, by_pattern.threshold.value), 0.01);
    EXPECT_NEAR(by_fast.error,
                simulated_error(classes, {.method = CavMethod::kFast}, by_fast.threshold.value), 0.01);
    // The paper: fast is a scaled pattern, so it errs the same.
    EXPECT_NEAR(by_pattern.error, by_fast.error, 1e-12);
    EXPECT_GT(by_pattern.error, 0.1);
  }
}

TEST(PredictRidgeError, MatchesSimulationOverLambda) {
  for (const Index n_concept : {150, 60}) {
    const TwoClasses classes = synthetic(150, n_concept);
    for (const double lambda : {0.01, 0.1, 1.0, 10.0, 100.0}) {
      const ErrorPrediction predicted = predict_ridge_error(classes, ridge_equivalent(classes, lambda));
      EXPECT_NEAR(predicted.error,
                  simulated_error(classes, {.method = CavMethod::kRidge, .lambda = lambda},
                                  predicted.threshold.value),
                  0.01)
          << "lambda " << lambda << ", n_concept " << n_concept;
    }
  }
}

// The paper's fourth panel: for large λ and equal classes ridge becomes pattern.
TEST(PredictRidgeError, TendsToPatternForLargeLambda) {
  const TwoClasses classes = synthetic(150, 150);
  EXPECT_NEAR(predict_ridge_error(classes, ridge_equivalent(classes, 1e6)).error,
              predict_error(classes, pattern_law(classes)).error, 1e-4);
}

TEST(PredictError, WeightsTheClasses) {
  const TwoClasses classes = synthetic(150, 60);
  const CavLaw cav = pattern_law(classes);
  const double only_random = predict_error(classes, cav, 0).error;
  const double only_concept = predict_error(classes, cav, 1).error;
  EXPECT_NEAR(predict_error(classes, cav, 0.3).error, 0.7 * only_random + 0.3 * only_concept, 1e-15);
}

}  // namespace
}  // namespace atcav::stats
