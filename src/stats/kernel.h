#pragma once

#include <vector>

#include "atcav/matrix.h"

// Inner products of rows, K = X Xᵀ, which is all that a linear fit with a penalty on |w|² sees of them: by
// itself, or as X and Xᵀ where rows have few columns. In double and in float.
namespace atcav::stats {

class Kernel {
 public:
  // Keeps X where d < n/2, or makes K.
  static Kernel of_rows(Matrix rows, int threads);
  static Kernel of_products(Matrix products, int threads);

  Index size() const { return diagonal_.size(); }
  const Vector& diagonal() const { return diagonal_; }
  // K·v for many v at once, one after another in memory. A product depends on its own v alone, to the last
  // bit.
  std::vector<Vector> times(const std::vector<const Vector*>& vectors, bool in_float, int threads) const;
  Matrix times(const Matrix& block, int threads) const;
  bool has_rows() const { return exact_.products.size() == 0; }
  const Matrix& rows() const { return exact_.rows; }
  const Matrix& products() const { return exact_.products; }
  // Whether threads should work on one product together: K is too large for each to read all of it.
  bool is_large() const;

 private:
  template <typename Values>
  struct Factors {
    Values products;
    Values rows, transposed;
    Values times(const Values& block, int threads) const;
    std::vector<Vector> times(const std::vector<const Vector*>& vectors, int threads) const;
  };

  Factors<Matrix> exact_;
  Factors<MatrixF> rough_;
  Vector diagonal_;
};

}  // namespace atcav::stats
