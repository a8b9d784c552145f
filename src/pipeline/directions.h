#pragma once

#include <string>
#include <vector>

#include "atcav/run.h"

// What a run asks of directions that were given (atcav/run.h reads them).
namespace atcav {

// What results must say about them, in a network with this hash.
std::vector<std::string> notes_about(const Directions& directions, const std::string& model_sha256);

// std::runtime_error unless each direction at `layer` has this many values.
void check_columns(const Directions& directions, const LayerDirections& layer, Index columns);

}  // namespace atcav
