#pragma once

#include "atcav/distribution.h"

// The logit-normal distribution: s(Y) = 1 / (1 + e⁻ʸ) for Y ~ N(m, v²). It has no closed moments, so
// there are two ways to them.
//
// logit_normal_approximate: the formulas of the paper (Sec. "The Logit-Normal Distribution"; MacKay 1992,
// Daunizeau 2017), with τ₁ = π/8 and τ₂ = 0.358:
//   mean ≈ q = s(m / √(1 + τ₁v²)),   variance ≈ q(1 - q)(1 - 1/√(1 + τ₂v²)).
// Off by up to 0.02 in the mean; the variance is 28 % too small for small v at m = 0, better for large v.
//
// logit_normal: quadrature, relative error below 1e-10 in the variance and in the smaller of mean and
// 1 - mean, down to where doubles underflow: for v from 0 (a point) to any size (nearly Bernoulli), for
// any m. About 0.1 ms.
//
//   Moments exact = logit_normal(0.3, 2.0);   // E s(Y), Var s(Y) for Y ~ N(0.3, 4)
namespace atcav::stats {

// `location` is m (finite), `scale` is v ≥ 0.
Moments logit_normal(double location, double scale);
Moments logit_normal_approximate(double location, double scale);

}  // namespace atcav::stats
