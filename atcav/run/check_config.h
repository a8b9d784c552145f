#pragma once

#include "atcav/run/config.h"

namespace atcav {

// What an option's own parser cannot see: numbers that are out of bounds, options that exclude each other.
// std::invalid_argument names the option and the bound. `has_directions`: the CAVs are given and not to be
// found.
void check_config(const Config& config, bool has_directions);

}  // namespace atcav
