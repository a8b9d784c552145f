#pragma once

#include "atcav/effect.h"
#include "atcav/result.h"

// What real examples do to the class's logit (LogitDifference in include/atcav/result.h), from the logits of
// both sets; at least two of each. Paired: row i of both belongs together.
namespace atcav {

LogitDifference difference_of_logits(const VectorRef& concept_logits, const VectorRef& random_logits,
                                     double level, bool paired = false);

// Of the logit of random examples, for stats::measure_effect: `along` is their z̄·x, row by row (empty where
// rows are not known).
stats::RandomSpread spread_of_logit(const VectorRef& random_logits, const VectorRef& along);

}  // namespace atcav
