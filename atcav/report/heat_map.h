#pragma once

#include <string>
#include <vector>

#include "atcav/run/result.h"

namespace atcav::report {

// Cosines between concepts' CAVs as a table a layer whose cells are shaded by size and sign, as HTML. Empty
// when no layer has two concepts.
std::string heat_map_html(const std::vector<Entanglement>& layers);

}  // namespace atcav::report
