#pragma once

#include <string_view>

#include "atcav/matrix.h"
#include "atcav/random.h"

// The first two moments of one class of activations, which is all that the theory of CAVs needs:
// class 1 are the random examples (label -1), class 2 the concept's (label +1).
namespace atcav::stats {

struct ClassLaw {
  Vector mean;        // μ_ℓ, d values
  Matrix covariance;  // Σ_ℓ, d × d, symmetric and without negative directions; zero: deterministic examples
};

// Both classes and how many examples of each a CAV is fitted on.
struct TwoClasses {
  ClassLaw random;      // μ₁, Σ₁
  ClassLaw of_concept;  // μ₂, Σ₂
  Index n_random = 0;   // n₁ ≥ 1
  Index n_concept = 0;  // n₂ ≥ 1
};

// Sizes agree, d ≥ 1, all finite, covariances symmetric (to 1e-9 of their largest entry) with no negative
// variance. Throws std::invalid_argument in the name of `function`.
void check_class_law(std::string_view function, std::string_view name, const ClassLaw& law);
void check_two_classes(std::string_view function, const TwoClasses& classes);

// The covariance of the paper's synthetic data, Σ_ij = ρ^|i-j|; d ≥ 1, -1 < ρ < 1.
Matrix toeplitz_covariance(Index d, double rho);

// Rows drawn from N(mean, Σ) in O(rows · d): along a row the values form a stationary autoregression of first
// order, x₀ = z₀, x_j = ρ x_(j-1) + √(1-ρ²) z_j, whose covariance is exactly Σ.
Matrix sample_toeplitz(const VectorRef& mean, double rho, Index rows, Stream& stream);

// How much a CAV varies from one draw of examples to the next (paper, Prop. "Distribution of w_fast and
// w_pat" and its corollaries). For pattern, w = mean(X₂) - mean(X₁):
//   E w = μ₂ - μ₁,   Cov w = Σ₁/n₁ + Σ₂/n₂,   variability Tr Cov w (paper, Def. "variance of a CAV").
// fast is pattern times c = n₁/(n₁+n₂): mean times c, covariance times c². As n₁ → ∞ both tend to
// μ₂ - μ₁ and Σ₂/n₂: more random examples cannot remove the concept's own noise.
// Exact for any distribution with these moments. For ridge see ridge_equivalent.h.
//
//   CavLaw law = pattern_law(classes);
//   double relative = std::sqrt(total_variance(law)) / law.mean.norm();

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
