#pragma once

#include <string>

#include "atcav/run/score.h"

// results.json: same inputs, options and seed give the same bytes, whatever the threads. Times, dates and
// host names are therefore not in it. docs/results.md describes every field.
namespace atcav::report {

// `command` is the subcommand: "score".
std::string results_json(const std::string& command, const RunResult& scored);
// Seconds by stage, in a file of its own.
std::string timings_json(const RunResult& scored);

}  // namespace atcav::report
