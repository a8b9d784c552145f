#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "atcav/result.h"

// The files of a result: results.json for programs, report.html for people, timings.json for the curious.
namespace atcav {

inline constexpr std::array kReportFiles = {"results.json", "report.html", "timings.json"};
inline constexpr const char* kInfluencesFile = "influences.safetensors";  // where a run kept them

// Writes all of them into the folder, which is made if need be, or none; std::runtime_error with path and
// reason. `command_line` says in the report how to repeat it. The report holds the SHA-256 of its
// results.json: after a kill between the two names they may be of different runs.
void write_report(const std::string& folder, const RunResult& result, const std::string& command_line = "");

// What write_report would write, as pairs of path and content, in the order of kReportFiles; behind
// them kInfluencesFile where the run kept influences.
std::vector<std::pair<std::string, std::string>> report_files(const std::string& folder,
                                                              const RunResult& result,
                                                              const std::string& command_line);

}  // namespace atcav
