#pragma once

#include <string>
#include <vector>

#include "atcav/result.h"

// One chart each, for report/figures.h. Results belong to the same run.
namespace atcav::report {

// Of one class: a row per concept and layer, at most 80, the largest effects where there are more. A dot is
// hollow where its interval holds 0, as on the page.
std::string effects_svg(const std::vector<const Result*>& results, double level);
// Of one concept at one layer: a curve per class, at most six. On random inputs where there are any.
std::string dose_svg(const std::vector<const Result*>& results, double level);
std::string speaks_for_svg(const SpeaksFor& found);
std::string sensitivity_svg(const Result& result, double level);

}  // namespace atcav::report
