#include "atcav/report/thumbnail.h"

#include <algorithm>

namespace atcav::report {

std::set<Index> shown_inputs(const std::vector<Result>& results, const std::string& class_name) {
  std::set<Index> shown;
  for (std::size_t r = 0; r < std::min(results.size(), kDetailed); ++r) {
    if (results[r].class_name != class_name) continue;
    const Extremes ends = extremes_of(results[r].sensitivities);
    shown.insert(ends.most.begin(), ends.most.end());
    shown.insert(ends.least.begin(), ends.least.end());
  }
  return shown;
}

}  // namespace atcav::report
