#pragma once

#include <string>

#include "atcav/result.h"

namespace atcav::report {

// The text of a results.json as results_json wrote it, read back: results_json of what is returned gives the
// same text. `name` is for messages. std::runtime_error for other text, and for results of another version
// whose fields are others.
RunResult read_results(const std::string& text, const std::string& name);

}  // namespace atcav::report
