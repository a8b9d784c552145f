#pragma once

#include <optional>

#include "atcav/matrix.h"

// What a set of examples is after the pass, for pattern and fast: numbers z_j · (x_i - c), where the
// centre c (a pilot mean) is the same for every set and cancels in every difference of means.
namespace atcav::pass {

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
  // m × m: covariance of the z_j · x over examples, divisor count-1.
  Matrix covariances() const;
  // Rows first … first+count-1: the inputs of one class.
  Projections inputs(Index first, Index count, int threads = 1) const;
};

// Projections of a set, batch by batch: all of them, or (moments only) their sums in blocks and their
// covariance, which is all that pattern and fast need when examples come in millions.
//
// The covariance is merged batch by batch (Chan, Golub & LeVeque 1979): each batch around its own mean,
// so nothing cancels however far the set lies from the centre. Batches are of 64 examples however they come,
// so the result does not depend on how many are added at once.
class Moments {
 public:
  // Example i goes to block i mod blocks; blocks is at most the number of examples.
  Moments(Index inputs, Index blocks);
  // m × B: the next B examples.
  void add(const MatrixRef& projections);
  // values: block means; weights: examples in each; covariance with divisor count-1 (0 for one example).
  Projections result() const;

 private:
  void merge(const MatrixRef& batch);

  Matrix waiting_;  // m × 64: examples of the next batch
  Index waiting_count_ = 0;
  Matrix sums_;     // m × blocks
  Vector counts_;   // blocks
  Vector mean_;     // m
  Matrix scatter_;  // m × m: Σ (p - mean)(p - mean)ᵀ
  Index count_ = 0;
};

}  // namespace atcav::pass
