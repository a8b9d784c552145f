#pragma once

#include <string>
#include <vector>

#include "atcav/run/layer_data.h"

namespace atcav {

// std::invalid_argument naming what is given twice or missing: classes, concepts, pairs of concepts. Sources
// ask before their work.
void check_names(const LayerNames& names);
// The same for layers.
void check_different_layers(const std::vector<std::string>& names);

}  // namespace atcav
