#pragma once

#include "atcav/result.h"

// What real examples do to the class's logit (LogitDifference in include/atcav/result.h), from the logits of
// both sets; at least two of each. Paired: row i of both belongs together.
namespace atcav {

LogitDifference difference_of_logits(const VectorRef& concept_logits, const VectorRef& random_logits,
                                     double level, bool paired = false);

}  // namespace atcav
