#pragma once

#include <string>
#include <vector>

#include "atcav/config.h"
#include "pipeline/layer_data.h"

namespace atcav {

// What an option's own parser cannot see: numbers that are out of bounds, options that exclude each other.
// std::invalid_argument names the option and the bound. `has_directions`: the CAVs are given and not to be
// found.
void check_config(const Config& config, bool has_directions);

// std::invalid_argument naming what is given twice or missing: classes, concepts, pairs of concepts. Sources
// ask before their work.
void check_names(const LayerNames& names);
// The same for layers.
void check_different_layers(const std::vector<std::string>& names);

}  // namespace atcav
