#pragma once

#include <span>
#include <string>
#include <vector>

#include "pipeline/layer_data.h"

namespace atcav {

// A sentence for each set of which at least one row in twenty is nearly a copy of another (fit/copies.h) and
// no group says so: how many, at the layer where there are most, which two are most alike, and which option
// handles them.
std::vector<std::string> copies_notes(std::span<const LayerData> layers, int threads);

}  // namespace atcav
