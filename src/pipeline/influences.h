#pragma once

#include <memory>
#include <span>

#include "atcav/influences.h"
#include "pipeline/layer_data.h"

// Between a run's layers and what it keeps of them (atcav/influences.h).
namespace atcav {

// `hashes` of the rows' content, where it is known.
std::shared_ptr<const Influences> keep_influences(std::span<const LayerData> layers, RowGroups hashes);

// A layer as analyses of responses see it, without gradients and directions; groups as the run was told.
LayerData kept_layer(const Influences& influences, std::size_t layer);

}  // namespace atcav
