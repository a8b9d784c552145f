#pragma once

#include <string>
#include <vector>

#include "atcav/run/score.h"

// What to be careful about, for the call as a whole and for each result.
namespace atcav::report {

// Sentences about all results together: the notes of the call, and that a permutation test with B
// relabellings cannot give a p below 1/(B+1), which times the number of tests may never fall below 1 - level.
std::vector<std::string> general_notes(const RunResult& scored);

// A list of both, as HTML; equal warnings of several results are said once. Empty if there are none.
std::string warnings_html(const RunResult& scored);

}  // namespace atcav::report
