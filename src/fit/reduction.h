#pragma once

#include <vector>

#include "atcav/matrix.h"

// Rows with few columns that have the same inner products: for solvers that want rows (include/atcav/cav.h)
// where only K = X Xᵀ and Z Xᵀ are known. With F Fᵀ = X Xᵀ and Z_F Fᵀ = Z Xᵀ any L2-regularised linear method
// gives on (F, Z_F) the sensitivities it gives on (X, Z).
namespace atcav::fit {

struct Reduction {
  Matrix features;            // F: n × r
  Matrix gradients;           // Z_F: m × r
  std::vector<Index> pivots;  // r rows that span all of them
};

// products: K, n × n; projections: Z Xᵀ, m × n. r is the rank of X; where all rows are zero it is 1 and the
// column is zero, as solvers want one.
Reduction reduce(Matrix products, const Matrix& projections);

// γ, n: the direction in coordinates of F as a combination of the rows.
Vector as_combination(const Reduction& reduction, const Vector& direction);

}  // namespace atcav::fit
