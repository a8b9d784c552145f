#pragma once

#include "atcav/result.h"
#include "report/json_fields.h"

// One of results.json's `results`. Keys that need the examples behind a CAV are missing where there are none.
namespace atcav::report {

// `level` of the intervals of scores.
Json result_json(const Result& result, double level);
Result result_in(const Json& json);

}  // namespace atcav::report
