#pragma once

#include "atcav/matrix.h"
#include "pass/pass.h"

// The examples of one test as a fit sees them.
//
// Every L2-regularised linear method has its solution in the span of its examples, w = Σ γᵢ xᵢ. It sees X
// only through K = X Xᵀ, and Z w = (Z Xᵀ) γ: whatever d was, n × n and m × n numbers are left, on any subset
// of rows. The proof is in docs/theory/span.md. Where the rows have few columns they are kept instead of K.
//
//   Pass pass = run_pass(gradients, {&random, &striped}, {.gram = true});
//   FitRefitter fits(fit_rows(pass, gradients, 0, 1, true), n_random, options);
namespace atcav::fit {

struct FitRows {
  Matrix rows;         // X: n × d, random ones first; empty where K is given
  Matrix gradients;    // Z: m × d, with X
  Matrix products;     // K: n × n
  Matrix projections;  // Z Xᵀ: m × n
  Vector lengths;      // |zⱼ|

  Index count() const { return projections.cols(); }
  bool by_products() const { return rows.size() == 0; }
};

FitRows fit_rows(Matrix rows, Matrix gradients, int threads = 1);

// From a pass with options.gram, of two of its sets. `centred`: fits have an intercept, so that a centre
// may stay off all rows, and nothing is lost to a large mean. A K that was not computed in double
// has its diagonal raised by a float rounding, so that dependent rows do not make it indefinite.
FitRows fit_rows(const pass::Pass& pass, const MatrixFRef& gradients, Index random_set, Index concept_set,
                 bool centred, int threads = 1);

// Fitted directions of a layer are coordinates: the columns of X, or γ for all rows of the pass where it has
// K. One that was fitted on two sets (coordinates) among all of them:
Vector in_layer(const pass::Pass& pass, const Vector& coordinates, Index random_set, Index concept_set);
Index layer_coordinates(const pass::Pass& pass);
// Inner products between the rows of `directions` (k × coordinates).
Matrix inner_products(const pass::Pass& pass, const Matrix& directions);
// Back to all d columns, k × d. std::invalid_argument for a pass that has kept no rows.
Matrix expand(const pass::Pass& pass, const Matrix& directions, int threads = 1);

}  // namespace atcav::fit
