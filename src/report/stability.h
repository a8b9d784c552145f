#pragma once

#include <string>
#include <vector>

#include "atcav/result.h"

// The table of layers: how stable each concept's direction is there (fit/stability.h).
namespace atcav::report {

// A header of concepts and one row per layer; empty cells where a concept is not tested. Of one layer, of
// labels and of given directions nothing at all.
std::vector<std::vector<std::string>> stability_table(const std::vector<Result>& results);
std::string stability_html(const std::vector<Result>& results);

}  // namespace atcav::report
