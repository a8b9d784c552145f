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

}  // namespace atcav::stats
