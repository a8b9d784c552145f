#pragma once

#include "atcav/accuracy.h"
#include "atcav/variability.h"

// The ridge CAV w = (XᵀX/n + λI)⁻¹ Xᵀy/√n when dimension and sample size are both large (paper, Theorem
// "deterministic equivalents"). With C_ℓ = Σ_ℓ + μ_ℓμ_ℓᵀ the random resolvent (XᵀX/n + λI)⁻¹ acts like
//   Q̄ = (Σ_ℓ (n_ℓ/n) C_ℓ/(1+δ_ℓ) + λI)⁻¹,   δ_ℓ = Tr(C_ℓ Q̄)/n,
// solved by iterating from δ = 0. That is the paper's form. Centred, as ridge is elsewhere (cav.h), both
// classes are seen from (Σ_ℓ g_ℓ μ_ℓ)/Σ_ℓ g_ℓ, g_ℓ = n_ℓ/(1+δ_ℓ), and the same mean is taken off the labels.
// From Q̄ and δ follow the mean w̄, E wᵀBw for any B, and so the variability Tr Cov(w) and the law of the
// classification score.
//
//   RidgeEquivalent ridge = ridge_equivalent(classes, 1.0);
//   double variability = ridge_total_variance(classes, ridge);
//   NormalLaw g = ridge_score_law(classes, ridge, classes.of_concept).total;
//
// Approximate with an error that falls as d and n grow together: within 3 % of Monte Carlo from d = 50,
// n = 300 on (ridge_equivalent_test.cpp). Derived for n > d and both classes a fixed share of n. Time is
// O(d³) per iteration.
namespace atcav::stats {

struct RidgeOptions {
  bool centred = true;  // false: the paper's form
  int max_iterations = 1000;
  double tolerance = 1e-12;  // on the change of δ_ℓ, relative to 1 + δ_ℓ
};

struct RidgeEquivalent {
  Matrix resolvent;          // Q̄
  double delta_random = 0;   // δ₁
  double delta_concept = 0;  // δ₂
  Vector mean;               // w̄
  Vector centre;             // what was taken off X; 0 unless centred
  double label_random = -1;  // y of each class, centred too
  double label_concept = 1;
  bool converged = false;
  int iterations = 0;
  double residual = 0;  // the last change, to compare with the tolerance
};

// λ > 0. Not converged is a field of the result, not an error.
RidgeEquivalent ridge_equivalent(const TwoClasses& classes, double lambda, const RidgeOptions& options = {});

// E Tr(B w wᵀ) = E wᵀBw for a d × d matrix B; `ridge` is the equivalent of the same classes.
double ridge_second_moment(const TwoClasses& classes, const RidgeEquivalent& ridge, const MatrixRef& b);

// Tr Cov(w) = E wᵀw - w̄ᵀw̄.
double ridge_total_variance(const TwoClasses& classes, const RidgeEquivalent& ridge);

// Law of g(x) = wᵀ(x - centre)/√n for a new x of `data`: score_law with the moments of ridge.
ScoreLaw ridge_score_law(const TwoClasses& classes, const RidgeEquivalent& ridge, const ClassLaw& data);

// As predict_error (accuracy.h), with the moments of ridge.
ErrorPrediction predict_ridge_error(const TwoClasses& classes, const RidgeEquivalent& ridge,
                                    double concept_weight = 0.5);

}  // namespace atcav::stats
