#include "pipeline/extremes.h"

#include <algorithm>
#include <numeric>

namespace atcav {

Extremes extremes_of(const std::vector<double>& sensitivities) {
  std::vector<Index> order(sensitivities.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return sensitivities[a] > sensitivities[b]; });
  const Index shown = std::min<Index>(kExtremes, (std::ssize(order) + 1) / 2);
  return {{order.begin(), order.begin() + shown}, {order.rbegin(), order.rbegin() + shown}};
}

}  // namespace atcav
