#pragma once

#include "atcav/base/matrix.h"
#include "atcav/span/pass.h"
#include "atcav/span/reduction.h"
#include "atcav/stats/cav.h"

// How far concepts point the same way at a layer: cosines between their CAVs, over the whole sets.
//
//   Matrix cosines = cav_cosines(pass);   // concepts × concepts, sets 1, 2, … of the pass; ones on the
//   diagonal
//
// Unrelated concepts do not have cosine 0: every direction starts at the same random examples. With noise
// alone (covariance σ²I, n₁ random and n₂ concept rows a set) it is near (1/n₁)/(1/n₁ + 1/n₂).
// A zero direction has cosine 0 with everything.
namespace atcav::span {

// The CAVs themselves, concepts × d, over the whole sets. pattern and fast come from the sums of the pass;
// other methods need the rows, as a pass over rows that come once keeps them (reduction.h: expand).
Matrix cav_directions(const Pass& pass, const MatrixFRef& gradients, const stats::CavOptions& options);

// pattern and fast, from the sums of the pass.
Matrix cav_cosines(const Pass& pass);
// Any method, one fit a concept on the reduced rows: they keep inner products, so cosines as well.
Matrix cav_cosines(const Reduction& reduction, const stats::CavOptions& options);

}  // namespace atcav::span
