#pragma once

#include "atcav/base/matrix.h"
#include "atcav/span/pass.h"
#include "atcav/span/reduction.h"
#include "atcav/stats/cav.h"

// The CAVs of a layer, fitted once on the whole sets, and how far concepts point the same way.
//
//   Reduction reduction = reduce(pass, gradients);
//   Matrix directions = fitted_directions(reduction, options, threads);   // concepts × r
//   Matrix cosines = cosines_between(directions);
//   Matrix cavs = expand(pass, reduction, directions);                    // concepts × d, where they are
//   kept
//
// Row c belongs to set c + 1 of the pass; set 0 is random. Unrelated concepts do not have cosine 0: every
// direction starts at the same random examples. With noise alone (covariance σ²I, n₁ random rows and n₂ rows
// per concept) it is near (1/n₁)/(1/n₁ + 1/n₂).
namespace atcav::span {

// pattern or fast, concepts × d, from the sums of the pass.
Matrix mean_directions(const Pass& pass, bool fast);

// Any method, concepts × r, in the coordinates of the reduction: they keep inner products, so cosines as
// well. Concepts are fitted side by side (threads = 0: all available).
Matrix fitted_directions(const Reduction& reduction, const stats::CavOptions& options, int threads);

// Cosines between rows, ones on the diagonal. A zero row has cosine 0 with everything, itself included.
Matrix cosines_between(Matrix directions);

}  // namespace atcav::span
