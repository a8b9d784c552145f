#pragma once

#include <string>
#include <utility>
#include <vector>

#include "atcav/config.h"
#include "pipeline/layer_data.h"

namespace atcav {

// What an option's own parser cannot see: numbers that are out of bounds, options that exclude each other.
// std::invalid_argument names the option and the bound. `has_directions`: the CAVs are given and not to be
// found.
void check_config(const Config& config, bool has_directions);

// A pool and its table come together, and what they cannot be combined with.
void check_pool(const Config& config);
void check_influences(const Config& config, bool has_directions);
void check_groups(const Config& config, bool has_directions);
void check_labelled(const Config& config, bool has_random, bool has_concepts);

// What --until and --budget cannot be combined with.
void check_reading(const Config& config, bool has_directions);

// What --pairs cannot be combined with; and of each set the number of its rows, random's first.
void check_pairs(const Config& config);
void check_pairs(const LayerNames& names, const std::vector<Index>& rows);

// std::invalid_argument naming what is given twice or missing: classes, concepts, pairs of concepts. Sources
// ask before their work.
void check_names(const LayerNames& names, bool has_labels = false);
// The same for layers.
void check_different_layers(const std::vector<std::string>& names);

// config.relative as positions in config.concepts; std::invalid_argument for a concept that is not there.
std::vector<std::pair<Index, Index>> relative_positions(const Config& config);

}  // namespace atcav
