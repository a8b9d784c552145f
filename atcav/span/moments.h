#pragma once

#include "atcav/base/matrix.h"
#include "atcav/span/projections.h"

// Projections of a set, batch by batch: all of them, or (moments only) their sums in blocks and their
// covariance, which is all that pattern and fast need when examples come in millions.
//
// The covariance is merged batch by batch (Chan, Golub & LeVeque 1979): each batch around its own mean,
// so nothing cancels however far the set lies from the centre.
namespace atcav::span {

class Moments {
 public:
  // Example i goes to block i mod blocks; blocks is at most the number of examples.
  Moments(Index inputs, Index blocks);
  // m × B: the next B examples.
  void add(const MatrixRef& projections);
  // values: block means; weights: examples in each; covariance with divisor count-1 (0 for one example).
  Projections result() const;

 private:
  Matrix sums_;     // m × blocks
  Vector counts_;   // blocks
  Vector mean_;     // m
  Matrix scatter_;  // m × m: Σ (p - mean)(p - mean)ᵀ
  Index count_ = 0;
};

}  // namespace atcav::span
