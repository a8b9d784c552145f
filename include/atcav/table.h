#pragma once

#include <string>

#include "atcav/result.h"

// The results as people look at them first: a table, then the warnings and the notes.
namespace atcav::report {

struct TableOptions {
  bool colour = false;      // only when the output is a terminal
  std::size_t width = 100;  // columns of the terminal, at least 40
};

// A line is coloured where include/atcav/words.h says for or against. Columns that need the examples behind
// the CAVs are left out where directions were given.
//
// Where the lines would be longer than the width, long names are shortened, but never so that two rows look
// alike; then columns are left out and named below: TCAV, logits, α-TCAV. A table may still be wider.
// Paragraphs are wrapped at the width. Warnings that say the same are one paragraph.
std::string results_table(const RunResult& result, const TableOptions& options);

}  // namespace atcav::report
