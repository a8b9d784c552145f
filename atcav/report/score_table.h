#pragma once

#include <string>
#include <vector>

#include "atcav/run/result.h"

namespace atcav::report {

// Results as rows of an HTML table (of many the detailed ones, report/thumbnail.h; the script makes the
// others), with the layer's column only if there are several, and without the columns that need examples
// where directions were given. Narrow screens have class and layer below the concept instead of in columns.
// Cells that sort by number carry it in data-v; the script fills the headers with buttons and, when α
// changes, the score.
std::string score_table_html(const std::vector<Result>& results, double level);

}  // namespace atcav::report
