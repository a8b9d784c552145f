#pragma once

#include <string>
#include <vector>

#include "atcav/run/score.h"

// The end of every report, as HTML: what is needed to get the same numbers again.
namespace atcav::report {

// Entries of a <dl>: seed, options, versions.
std::string reproduce_html(const RunResult& scored);
// Rows of a table: role, path, shape and hash of each input.
std::string inputs_html(const std::vector<Input>& inputs);

}  // namespace atcav::report
