#pragma once

#include "atcav/effect.h"
#include "pass/projections.h"

// What the projections tell of z̄·x, the mean gradient's product with the examples: the spread that an effect
// is measured in (include/atcav/effect.h).
namespace atcav::fit {

// After a moments-only pass the shape of a normal law stands in for skewness and kurtosis. The variance is 0
// where random examples differ by rounding alone.
stats::RandomSpread random_spread(const pass::Projections& random);
// The same of rows that come in pairs.
stats::RandomSpread paired_spread(const pass::Projections& random, const pass::Projections& concept_rows);

}  // namespace atcav::fit
