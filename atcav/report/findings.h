#pragma once

#include <string>
#include <vector>

#include "atcav/run/result.h"

// What was found, a sentence for each concept and class, as HTML.
namespace atcav::report {

// The one of several layers' results that speaks for them: among significant ones the farthest from ½,
// else the last. `results` is not empty.
const Result& strongest(const std::vector<const Result*>& results, double level);

// A list a class; each item has the sentence (report/verdict.h), a gauge, effect, evidence and encoding
// side by side, and with several layers a line with the score at each.
std::string findings_html(const std::vector<Result>& results, double level);

}  // namespace atcav::report
