#include "report/histogram.h"

#include <algorithm>
#include <cmath>

namespace atcav::report {

Histogram make_histogram(const std::vector<std::vector<double>>& lists, double anchor) {
  constexpr double kBins = 24;
  double low = anchor;
  double high = anchor;
  for (const auto& list : lists) {
    for (const double value : list) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const double width = high > low ? (high - low) / kBins : 1;
  const double first = std::floor((low - anchor) / width);
  const double bins = std::max(std::ceil((high - anchor) / width) - first, 1.0);
  Histogram found{anchor + first * width, width, {}};
  for (const auto& list : lists) {
    std::vector<Index> counts(static_cast<std::size_t>(bins), 0);
    for (const double value : list) {
      const double bin = std::ceil((value - anchor) / width) - 1 - first;
      ++counts[static_cast<std::size_t>(std::clamp(bin, 0.0, bins - 1))];
    }
    found.counts.push_back(std::move(counts));
  }
  return found;
}

}  // namespace atcav::report
