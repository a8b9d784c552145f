#pragma once

#include "atcav/theory.h"

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

// One peak or two (Johnson 1949). Peaks and the dip between them solve m = y - v² tanh(y/2) in y = logit of
// the score; with t = √(1 - 2/v²) there are three solutions where
//   v² > 2 and |m| < v² t - 2 artanh(t).
// That bound, 0 for v² ≤ 2: there the density has one peak wherever it lies. No value of v gives a third.
double bimodal_location(double scale);
// The least v with two peaks at |m|/v = `signal`, how many of its own standard deviations the normal lies
// from 0; √2 at 0. Above it there are two for every v: with α as the scale, this is the α from which on.
double bimodal_scale(double signal);

}  // namespace atcav::stats
