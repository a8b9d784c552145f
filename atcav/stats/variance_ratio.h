#pragma once

#include "atcav/base/matrix.h"

// How much variance α*-TCAV saves against the Multi-TCAV of s runs that it imitates:
//   r = Var(α*-TCAV on N examples) / Var(Multi-TCAV, s runs of n = N/s examples).
//
// The paper's approximation depends on s alone:
//   r(s) = s (1 - 1/√(1 + (τ₂/τ₁)/(s - 1))),   r(2) = 0.5535, r(10) = 0.4710, r(∞) = τ₂/(2τ₁) = 0.4558.
// Exactly (quadrature) it depends on the signal of one run, u = √n μ/σ, as well: at u = 0 it is 0.6281
// (s = 2), 0.6234 (10), 0.6333 (50) with limit 2/π, and it falls below r(s) as |u| grows. Print both.
namespace atcav::stats {

// runs = s ≥ 2.
double variance_ratio(Index runs, double run_signal = 0);
double variance_ratio_approximate(Index runs);

// s → ∞ with the signal of one run held: s'(u/√τ₁)² / (τ₁ Φ(u) Φ(-u)), which is 2/π at u = 0.
double variance_ratio_limit(double run_signal = 0);
double variance_ratio_approximate_limit();

}  // namespace atcav::stats
