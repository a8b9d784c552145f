#pragma once

#include <memory>
#include <span>
#include <string>

#include "atcav/influences.h"
#include "pipeline/layer_data.h"

// Between a run's layers and what it keeps of them (atcav/influences.h).
namespace atcav {

// `hashes` of the rows' content, where it is known.
std::shared_ptr<const Influences> keep_influences(std::span<const LayerData> layers, RowGroups hashes);

// A layer as analyses of responses see it, without gradients and directions; groups as the run was told.
LayerData kept_layer(const Influences& influences, std::size_t layer);

// As the bytes of a safetensors file that belongs to the results.json with this SHA-256, and back.
// std::runtime_error for a file that is none or belongs to other results.
std::string influences_file(const Influences& influences, const std::string& results_sha256);
Influences read_influences(const std::string& path, const std::string& results_sha256);

}  // namespace atcav
