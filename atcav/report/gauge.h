#pragma once

#include <string>

#include "atcav/stats/interval.h"

namespace atcav::report {

// A score on a scale from 0 to 1 with its interval and a mark at ½, as HTML: drawn by the style sheet from
// --at, --low and --high. It repeats what stands beside it in words, so screen readers pass it over.
std::string gauge_html(double score, const stats::Interval& interval);

}  // namespace atcav::report
