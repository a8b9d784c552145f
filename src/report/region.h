#pragma once

#include <string>
#include <vector>

#include "atcav/result.h"

// Regions on the page (report/words.h has the sentence).
namespace atcav::report {

// A table with a row for each result that has a region; empty without any.
std::string regions_html(const std::vector<Result>& results);

}  // namespace atcav::report
