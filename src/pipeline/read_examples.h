#pragma once

#include <span>
#include <vector>

#include "pipeline/collect_rows.h"
#include "pipeline/layer_data.h"
#include "pipeline/reading.h"

namespace atcav {

// Reads the sets of a run, random first, as far as Options::until and budget say, and leaves in them the rows
// that were read, in their usual order, as if there were no others; what the network made of them is kept
// there for collect_passes. Gradients are there.
//
// With a cache rows are looked for, and kept, in the blocks that this reads: those of another seed, or of a
// run that reads everything, are others.
RowsRead read_examples(Session& session, std::span<OpenedSet> sets, const CollectOptions& options,
                       std::vector<LayerData>& layers);

}  // namespace atcav
