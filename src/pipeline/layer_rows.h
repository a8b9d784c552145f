#pragma once

#include <vector>

#include "pipeline/opened_set.h"
#include "pipeline/session.h"
#include "pipeline/targets.h"

// Blocks of examples at the layers of a run: found in the cache, or else computed by the network and kept.
namespace atcav {

// Rows first … first+count-1 of the set at every layer; with_logits: and behind the layers their logits.
std::vector<RowsPtr> layer_activations(Session& session, OpenedSet& set, Index first, Index count,
                                       bool with_logits = false);
// The same for gradients of the target; and behind the layers a column with 1 where the target is the
// network's largest logit, 0 elsewhere.
std::vector<RowsPtr> layer_gradients(Session& session, OpenedSet& set, Index first, Index count,
                                     const ClassTarget& target);

}  // namespace atcav
