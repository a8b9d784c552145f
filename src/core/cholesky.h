#pragma once

#include <optional>
#include <vector>

#include "atcav/matrix.h"

// Cholesky's factor L of a symmetric positive definite matrix, a = L·Lᵀ, and systems of equations with it, in
// blocks that core/block_product.h multiplies: for matrices of hundreds of rows and more.
namespace atcav {

// On several threads (0: all available), the same for any number of them. Reads the lower triangle; the upper
// one of the factor is 0. None where a pivot is not above 0.
std::optional<Matrix> cholesky(Matrix a, int threads);

class TriangularSolver {
 public:
  explicit TriangularSolver(const Matrix& lower);
  // x := L⁻¹ x and x := L⁻ᵀ x on this thread. The number of columns of x is a multiple of kBlockStep<double>.
  void solve(Matrix& x) const;
  void solve_transposed(Matrix& x) const;
  // (L·Lᵀ)⁻¹ x of any number of columns, on several threads, the same for any number of them.
  void solve_both(Matrix& x, int threads) const;

 private:
  struct Block {
    Index first, count;
    Matrix diagonal;
    Matrix before;  // -L[block, rows before]
    Matrix after;   // -Lᵀ[block, rows after]
  };
  std::vector<Block> blocks_;
};

}  // namespace atcav
