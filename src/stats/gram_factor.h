#pragma once

#include <vector>

#include "atcav/matrix.h"

// A small isometric copy of tall data, from inner products alone.
//
// K = X Xᵀ holds all that an L2-regularised linear method can see of X. Pivoted Cholesky finds F with
// F Fᵀ = K in n³/3 operations and stops at the numerical rank r, so F (n × r) stands for X (n × d).
// The pivot rows of F are lower triangular, L; with X_pivots = L Qᵀ, Q orthonormal, any other vector z
// has coordinates Qᵀz = L⁻¹ (X_pivots z): inner products with examples are enough there too.
namespace atcav::stats {

struct GramFactor {
  Matrix rows;                // F: n × r
  std::vector<Index> pivots;  // r rows of X that span all of them
};

// `gram` is n × n and symmetric, and is worked on in place: move it where it is no longer needed; only
// rounding may make it indefinite. Directions below n·ε of the largest row are dropped: duplicated or
// dependent rows cost nothing. Most of the work is a matrix product.
GramFactor factor_gram(Matrix gram);

// Coordinates (m × r) of m vectors, given their inner products with all n rows (m × n).
Matrix coordinates(const GramFactor& factor, const MatrixRef& products);

}  // namespace atcav::stats
