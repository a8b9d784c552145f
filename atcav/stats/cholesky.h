#pragma once

#include <optional>

#include "atcav/base/matrix.h"

// A x = b for one positive definite matrix and many b, on several threads (0: all available). The result is
// the same for any number of them.
namespace atcav::stats {

class Cholesky {
 public:
  // A: n × n, of which the lower triangle is read; n³/3 operations. Nothing where A is not positive definite
  // to rounding.
  static std::optional<Cholesky> factor(Matrix a, int threads = 1);
  // Rows of `right` are the b (k × n), those of the result the x.
  Matrix solve(const Matrix& right, int threads = 1) const;

 private:
  explicit Cholesky(Matrix lower) : lower_(std::move(lower)) {}
  Matrix lower_;  // its upper triangle means nothing
};

}  // namespace atcav::stats
