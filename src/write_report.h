#pragma once

#include <string>
#include <vector>

#include "atcav/result.h"
#include "data/file/atomic_file.h"

namespace atcav {

inline constexpr const char* kLinesFile = "results.jsonl";

// The files of write_report (include/atcav/report.h), each made when it is written, in this order; with
// `lines` results.jsonl behind them. `result` is kept by reference.
std::vector<data::FileContent> report_contents(const std::string& folder, const RunResult& result,
                                               const std::string& command_line, bool lines);

}  // namespace atcav
