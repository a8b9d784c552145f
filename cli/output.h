#pragma once

#include <string>

#include "atcav/experiment/score.h"
#include "atcav/report/thumbnail.h"
#include "common_options.h"

// What every command does with results: files first, then the table.
namespace atcav::cli {

// Makes the output folder before the work, so that a bad one is found out early.
void prepare_output(const CommonOptions& common);
// results.json, report.html and timings.json as asked for, then the table and where the report is.
void write_output(const std::string& command, const CommonOptions& common, const experiment::Scored& scored,
                  const report::Thumbnails& thumbnails);

}  // namespace atcav::cli
