#pragma once

#include "atcav/matrix.h"
#include "pass/pass.h"

// The CAVs of a layer, fitted once on the whole sets, and how far concepts point the same way.
//
//   Matrix directions = mean_directions(pass, false);   // concepts × d
//   Matrix cosines = cosines_between(directions * directions.transpose());
//
// Row c belongs to set c + 1 of the pass; set 0 is random. Fitted directions come from FitRefitter::direction
// (fit_refitter.h); fit_rows.h has their inner products, and all their d columns. Unrelated concepts do not
// have cosine 0: every direction starts at the same random examples. With noise alone (covariance σ²I, n₁
// random rows and n₂ rows per concept) it is near (1/n₁)/(1/n₁ + 1/n₂).
namespace atcav::fit {

// pattern or fast, concepts × d, from the sums of the pass.
Matrix mean_directions(const pass::Pass& pass, bool fast);

// Of the random examples, in the layer.
Vector random_mean(const pass::Pass& pass);

// Cosines from inner products, ones on the diagonal. A zero direction has cosine 0 with everything, itself
// included.
Matrix cosines_between(const Matrix& inner_products);

}  // namespace atcav::fit
