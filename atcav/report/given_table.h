#pragma once

#include <string>
#include <vector>

#include "atcav/run/given.h"
#include "atcav/report/table.h"

namespace atcav::report {

// Scores of given directions for a terminal: at most 100 columns, then the warnings. Intervals hold the error
// from having drawn these inputs alone, which the header says; a line is coloured when its headline's
// interval leaves out ½.
std::string given_table(const std::vector<GivenScore>& given, const TableOptions& options);

}  // namespace atcav::report
