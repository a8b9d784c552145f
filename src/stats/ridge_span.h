#pragma once

#include "atcav/matrix.h"

// A direction that tells a concept for stats::make_eraser (stats/erasure.h), without a matrix of d × d.
namespace atcav::stats {

// Ridge's direction as a combination of examples, w = Σ γᵢ xᵢ, from K = X Xᵀ (n × n, in whatever coordinates,
// random rows first): (C + λI)⁻¹ δ but for a factor, C the covariance of all examples around their mean. As
// λ → 0 it is LEACE's (Belrose et al. 2023), of which λ = 0 gives the limit; directions that rounding decides
// are left out. The coefficients add up to 0, so a shift of all rows changes nothing.
Vector ridge_coefficients(const MatrixRef& products, Index random, double lambda);

}  // namespace atcav::stats
