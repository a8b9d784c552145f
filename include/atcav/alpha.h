#pragma once

#include "atcav/matrix.h"

// How steep a sigmoid: the normalisation γ and the paper's two choices of α on the normalised scale.
//
//   γ      = √(mean S²) + 1e-8
//   σ̂_eff  = √(Var(S) · N), population variance over inputs, N = n₁ + n₂ examples behind the CAV
//   α*(s)  = (γ/σ̂_eff) √(n / (τ₁(1 - 1/s))), n = N/s: imitates Multi-TCAV with s runs
//   α†     = (γ/σ̂_eff) √(N/τ₁): posterior probability of the sign under a flat prior
//
// α†/α*(s) = √(s-1) exactly. N cancels in all of them, which is where the paper stops short: σ̂_eff is
// the spread over inputs, not the noise of the CAV (include/atcav/posterior.h has that noise).
namespace atcav::stats {

// γ.
double root_mean_square(const VectorRef& sensitivities);
// sd over inputs, population variance. Equal sensitivities have one of rounding size: below 1e-14 of the
// largest sensitivity it is 0.
double spread(const VectorRef& sensitivities);
// σ̂_eff.
double sigma_effective(const VectorRef& sensitivities, Index examples);
// Infinite when σ is 0: all sensitivities equal, so only their sign can speak. Needs runs ≥ 2.
double alpha_star(double gamma, double sigma, Index examples, Index runs);
double alpha_dagger(double gamma, double sigma, Index examples);

}  // namespace atcav::stats
