#pragma once

#include <string>

#include "atcav/result.h"

// results.json: same inputs, options and seed give the same bytes, whatever the threads. Times, dates and
// host names are therefore not in it. docs/results.md describes every field.
namespace atcav::report {

std::string results_json(const RunResult& result);
// Seconds by stage, in a file of its own.
std::string timings_json(const RunResult& result);

}  // namespace atcav::report
