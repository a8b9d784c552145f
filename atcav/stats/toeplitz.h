#pragma once

#include "atcav/base/matrix.h"
#include "atcav/base/random.h"

// The covariance of the paper's synthetic data, Σ_ij = ρ^|i-j|, and rows drawn from N(mean, Σ).
//
//   Stream stream(seed, {kTaskSimulation, repeat});
//   Matrix x = sample_toeplitz(mean, 0.4, 1000, stream);
namespace atcav::stats {

// d ≥ 1, -1 < ρ < 1.
Matrix toeplitz_covariance(Index d, double rho);

// rows × d in O(rows · d): along a row the values form a stationary autoregression of first order,
// x₀ = z₀, x_j = ρ x_(j-1) + √(1-ρ²) z_j, whose covariance is exactly Σ.
Matrix sample_toeplitz(const VectorRef& mean, double rho, Index rows, Stream& stream);

}  // namespace atcav::stats
