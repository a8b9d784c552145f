#pragma once

#include <string>
#include <vector>

#include "atcav/result.h"
#include "report/json_parts.h"

// Regions in results.json and on the page (atcav/words.h has the sentence).
namespace atcav::report {

Json region_json(const Region& region);
Region region_in(const Json& json);

// A table with a row for each result that has a region; empty without any.
std::string regions_html(const std::vector<Result>& results);

}  // namespace atcav::report
