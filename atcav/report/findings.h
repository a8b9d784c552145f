#pragma once

#include <string>
#include <vector>

#include "atcav/run/result.h"

// What was found, one sentence for each concept and class, as HTML.
namespace atcav::report {

// A score on a scale from 0 to 1 with its interval and a mark at ½: drawn by the style sheet from --at, --low
// and --high. It repeats what stands beside it in words, so screen readers pass it over.
std::string gauge_html(double score, const stats::Interval& interval);

// The one of several layers' results that speaks for them: of those for or against (report/words.h) the
// farthest from ½, else the last. `results` is not empty.
const Result& strongest(const std::vector<const Result*>& results, double level);

// One list per class; each item has the sentence, a gauge, effect, evidence and encoding side by side (the
// effect alone where directions were given), and with several layers a line with the score at each.
std::string findings_html(const std::vector<Result>& results, double level);

}  // namespace atcav::report
