#include "atcav/report/thumbnail.h"

#include <algorithm>
#include <numeric>

namespace atcav::report {

Extremes extremes_of(const std::vector<double>& sensitivities) {
  std::vector<Index> order(sensitivities.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return sensitivities[a] > sensitivities[b]; });
  const Index shown = std::min<Index>(kExtremes, (static_cast<Index>(order.size()) + 1) / 2);
  return {{order.begin(), order.begin() + shown}, {order.rbegin(), order.rbegin() + shown}};
}

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
