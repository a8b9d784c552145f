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

// Tr Cov w.
double total_variance(const CavLaw& law);

// Popoviciu: a variable within [low, high] has variance at most (high - low)²/4; so every score has at
// most ¼, reached by the indicator at μ = 0.
double popoviciu_bound(double low, double high);

}  // namespace atcav::stats
