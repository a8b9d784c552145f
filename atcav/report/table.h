#pragma once

#include <string>

#include "atcav/run/result.h"

// The results as people look at them first: a table, then the warnings and the notes, in at most 100 columns.
namespace atcav::report {

struct TableOptions {
  bool colour = false;  // only when the output is a terminal
};

// A line is coloured where report/words.h says for or against. Columns that need the examples behind the CAVs
// are left out where directions were given.
std::string results_table(const RunResult& result, const TableOptions& options);

}  // namespace atcav::report
