#pragma once

#include <string>

#include "atcav/result.h"

// The other way round from write_report.
namespace atcav {

// results.json of the folder, and influences.safetensors where it is there. What results.json does not have
// (pictures, maps, times) is missing. std::runtime_error for files that are no results.
RunResult read_report(const std::string& folder);

}  // namespace atcav
