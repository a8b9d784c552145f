#pragma once

#include <string>
#include <vector>

#include "atcav/run/score.h"
#include "atcav/report/thumbnail.h"
#include "common_options.h"

// What every command does with results: files first, then the table.
namespace atcav::cli {

// Makes the output folder and sees that every file can be written, also those of `further`, before the work
// and not after it. std::runtime_error with path and reason.
void prepare_output(const CommonOptions& common, const std::vector<std::string>& further = {});
// results.json, report.html and timings.json as asked for, then the table and where the report is.
void write_output(const std::string& command, const CommonOptions& common, const RunResult& scored,
                  const report::Thumbnails& thumbnails);

}  // namespace atcav::cli
