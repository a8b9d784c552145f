#pragma once

#include "atcav/matrix.h"

// The standard normal distribution and the sigmoid, with the constants that tie them together:
//   s(x) ≈ Φ(√τ₁ x),   E s(X) ≈ s(μ / √(1 + τ₁σ²)) for X ~ N(μ, σ²).
namespace atcav::stats {

// τ₁ = π/8 of the sigmoid–probit approximation, τ₂ of the logit-normal variance (paper, Sec. "Tools").
inline constexpr double kTau1 = 0.39269908169872415481;
inline constexpr double kTau2 = 0.358;

double normal_pdf(double x);
// Φ, accurate in both tails.
double normal_cdf(double x);
// Φ⁻¹ on (0, 1).
double normal_quantile(double p);
// s(x) = 1 / (1 + e⁻ˣ), without overflow.
double sigmoid(double x);
// s'(x) = s(x)(1 - s(x)).
double sigmoid_derivative(double x);

// (1/m) Σ s(slope · x_j): what every bootstrap, permutation and simulation of a smooth score spends its time
// on. Several values at a time, each within 4 units in the last place of the exact sigmoid; the same result
// on every processor. Infinite products give 0 and 1; a NaN gives NaN.
double mean_sigmoid(const VectorRef& x, double slope);
// The same of each row, with a slope for each: to the last bit what mean_sigmoid gives. threads: 0 for all.
Vector mean_sigmoids(const Matrix& x, const Vector& slopes, int threads = 1);

}  // namespace atcav::stats
