#pragma once

#include "pass/pass.h"

namespace atcav::pass {

// Bytes that a pass over `rows` examples in `sets` sets takes at its largest, beside its gradients: what it
// keeps, its copy of the gradients (m × d) and, with options.gram, K and what fits make of it. Rows beyond
// RowStore::kMemoryBytes lie in scratch files and do not count.
double pass_bytes(Index m, Index d, Index rows, Index sets, const PassOptions& options);

}  // namespace atcav::pass
