#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "atcav/result.h"

// results.json piece by piece, for runs whose results are more than memory holds as one text; and read back.
namespace atcav::report {

using TextSink = std::function<void(std::string_view)>;

// What results_json (include/atcav/report.h) gives: the same bytes.
void write_results_json(const RunResult& result, const TextSink& sink);

// results.jsonl: one line per result, the objects that results.json has under "results", in the same order.
// pandas.read_json(…, lines=True) and DuckDB's read_json read it.
void write_results_lines(const RunResult& result, const TextSink& sink);

// The text of a results.json as results_json wrote it, read back: results_json of what is returned gives the
// same text. `name` is for messages. std::runtime_error for other text, and for results of another version
// whose fields are others.
RunResult read_results(const std::string& text, const std::string& name);

}  // namespace atcav::report
