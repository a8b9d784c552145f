#pragma once

#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/span/pass.h"

// A small copy of a layer: few columns instead of d, the same inner products.
//
// Every L2-regularised linear method has its solution in the span of the examples, so it sees X only
// through X Xᵀ and Z only through Z Xᵀ. With F Fᵀ = X Xᵀ and Z_F Fᵀ = Z Xᵀ any such method, on any
// subset of rows, gives on (F, Z_F) exactly the sensitivities it gives on (X, Z); the proof is in
// docs/theory/span.md.
//
//   Pass pass = run_pass(gradients, {&random, &striped}, {.gram = true});
//   Reduction small = reduce(pass, gradients);
//   stats::fit_cav(small.rows(0), small.rows(1), options).direction   // S = small.gradients * it
namespace atcav::span {

struct Reduction {
  Matrix features;           // F: N × r, the rows of all sets in order
  Matrix gradients;          // Z_F: m × r
  std::vector<Index> first;  // of each set its first row in F, and N after the last
  // What expand needs of K's factor; empty where F = X.
  std::vector<Index> pivots;  // r rows that span all of them; N is the centre
  Eigen::MatrixXd lower;      // r × r, lower triangle: X_pivots = L Qᵀ with Q (d × r) orthonormal
  double centre_scale = 1;    // the centre entered the factor times this

  auto rows(Index set) const { return features.middleRows(first[set], first[set + 1] - first[set]); }
};

// From a pass with options.gram. r is the rank of X, at most N + 1; when d ≤ N it is the identity,
// F = X and Z_F = Z. Gram matrices that were not computed in double have their diagonal raised by some
// float roundings first: they then have full rank, and Z_F Fᵀ = Z Xᵀ holds for dependent rows as well.
Reduction reduce(const Pass& pass, const MatrixFRef& gradients, int threads = 1);

// Back to all d columns: directions in the coordinates of F (k × r) as combinations of the rows (k × d). The
// pass must have kept them (Pass::features or Pass::rows), std::invalid_argument otherwise.
Matrix expand(const Pass& pass, const Reduction& reduction, const MatrixRef& directions);

}  // namespace atcav::span
