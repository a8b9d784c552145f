#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "atcav/result.h"

// results.json: same inputs, options and seed give the same bytes, whatever the threads. Times, dates and
// host names are therefore not in it. docs/results.md describes every field.
namespace atcav::report {

std::string results_json(const RunResult& result);
// Seconds by stage, in a file of its own.
std::string timings_json(const RunResult& result);

// "the model uses it for zebra: +1.57 logits (0.93 to 2.21)." and what a reader must know besides: what the
// layer encodes, an interval too wide to decide. `layer` names the layer too. Of a given direction: "along it
// the logit of zebra rises by 1.57 (0.93 to 2.21) over inputs like these."
std::string sentence(const Result& result, double level, bool layer);

// The terminal's view of results: a table, then warnings and notes.

struct TableOptions {
  bool colour = false;      // only when the output is a terminal
  std::size_t width = 100;  // columns of the terminal, at least 40
};

// A line is coloured where its verdict is for or against. Columns that need the examples behind
// the CAVs are left out where directions were given.
//
// Where the lines would be longer than the width, long names are shortened, but never so that two rows look
// alike; then columns are left out and named below: TCAV, logits, α-TCAV. A table may still be wider.
// Paragraphs are wrapped at the width. Warnings that say the same are one paragraph.
std::string results_table(const RunResult& result, const TableOptions& options);

}  // namespace atcav::report

// The files of a result: results.json for programs, report.html for people, timings.json with seconds by
// stage.
namespace atcav {

inline constexpr std::array kReportFiles = {"results.json", "report.html", "timings.json"};
inline constexpr const char* kInfluencesFile = "influences.safetensors";  // where a run kept them

// Writes all of them into the folder, which is created if need be, or none; std::runtime_error with path and
// reason. `command_line`: how to repeat the run, for the report. The report has the SHA-256 of its
// results.json, since a kill between the two renames may leave files of different runs.
void write_report(const std::string& folder, const RunResult& result, const std::string& command_line = "");

// The files of write_report as pairs of path and content, in the order of kReportFiles; then kInfluencesFile
// if the run kept influences.
std::vector<std::pair<std::string, std::string>> report_files(const std::string& folder,
                                                              const RunResult& result,
                                                              const std::string& command_line);

// Reads results.json of the folder, and influences.safetensors if it is there. What results.json does not
// have (pictures, maps, times) is missing. std::runtime_error for files that are no results.
RunResult read_report(const std::string& folder);

}  // namespace atcav
