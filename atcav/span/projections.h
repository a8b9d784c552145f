#pragma once

#include <optional>

#include "atcav/base/matrix.h"

// What a set of examples is after the pass, for pattern and fast: numbers z_j · (x_i - c), where the
// centre c (a pilot mean) is the same for every set and cancels in every difference of means.
namespace atcav::span {

// Columns are examples. In a moments-only pass they are blocks of examples: the block's mean, with the
// number of examples as its weight, and the second moments that the columns no longer tell.
struct Projections {
  Matrix values;                     // m × n:  z_j · (x_i - c)
  Vector weights;                    // n: examples behind each column, 1 unless moments-only
  std::optional<Matrix> covariance;  // m × m, over examples, divisor count-1; moments-only

  Index inputs() const { return values.rows(); }
  Index columns() const { return values.cols(); }
  // Examples in the set.
  Index count() const;
  // Mean over examples, m.
  Vector mean() const;
  // Variance of z_j · x over examples (divisor count-1), m.
  Vector variance() const;
  // Variance of Σ_j direction_j z_j · x over examples.
  double variance_along(const VectorRef& direction) const;
  // Rows first … first+count-1: the inputs of one class.
  Projections inputs(Index first, Index count) const;
};

}  // namespace atcav::span
