#pragma once

#include "atcav/class_law.h"

// How much a CAV varies from one draw of examples to the next (paper, Prop. "Distribution of w_fast and
// w_pat" and its corollaries). For pattern, w = mean(X₂) - mean(X₁):
//   E w = μ₂ - μ₁,   Cov w = Σ₁/n₁ + Σ₂/n₂,   variability Tr Cov w (paper, Def. "variance of a CAV").
// fast is pattern times c = n₁/(n₁+n₂): mean times c, covariance times c². As n₁ → ∞ both tend to
// μ₂ - μ₁ and Σ₂/n₂: more random examples cannot remove the concept's own noise.
// Exact for any distribution with these moments. For ridge see ridge_equivalent.h.
//
//   CavLaw law = pattern_law(classes);
//   double relative = std::sqrt(total_variance(law)) / law.mean.norm();
namespace atcav::stats {

struct CavLaw {
  Vector mean;        // E w
  Matrix covariance;  // Cov w
};

CavLaw pattern_law(const TwoClasses& classes);
CavLaw fast_law(const TwoClasses& classes);
// n₁ → ∞ at fixed n₂, the same for pattern and fast; n_random is not used.
CavLaw many_random_law(const TwoClasses& classes);

// The logistic CAV when there are far more random examples than the concept's (Owen 2007; Wenkmann and
// Garreau 2025), with w penalised as in cav.h: only the concept's mean x̄ matters, and w tilts the random law
// until its mean is x̄, but for the penalty. For normal random examples
//   w = (Σ₁ + I/(C n₂))⁻¹ (x̄ - μ₁) = G⁻¹(x̄ - μ₁),   C = ∞: Σ₁⁻¹(x̄ - μ₁), Fisher's direction,
//   Cov w = e^q G⁻¹(Σ₁ + Σ₁wwᵀΣ₁)G⁻¹/n₁ from the random examples, q = wᵀΣ₁w,
//         + G⁻¹Σ₂G⁻¹/n₂ from the concept's, where they are drawn as well (Σ₂ = 0: they are held).
// An asymptote: n₁ must be large against n₂ e^q, and against e^q too, since n₁ examples weigh as much as n₁
// e^-q.
struct ImbalancedLogistic {
  Vector mean;
  Matrix from_random;  // covariances
  Matrix from_concept;
  double tilt = 0;  // q
};
// cost = C > 0, infinite: no penalty, which needs an invertible Σ₁.
ImbalancedLogistic imbalanced_logistic(const TwoClasses& classes, double cost);

// Tr Cov w.
double total_variance(const CavLaw& law);

// Popoviciu: a variable within [low, high] has variance at most (high - low)²/4; so every score has at
// most ¼, reached by the indicator at μ = 0.
double popoviciu_bound(double low, double high);

}  // namespace atcav::stats
