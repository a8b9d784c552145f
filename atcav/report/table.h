#pragma once

#include <string>
#include <vector>

#include "atcav/run/result.h"

// The results as people look at them first: a table of at most 100 columns, then the warnings.
namespace atcav::report {

struct TableOptions {
  double level = 0.95;
  bool colour = false;  // only when the output is a terminal
};

std::string results_table(const std::vector<Result>& results, const TableOptions& options);

}  // namespace atcav::report
