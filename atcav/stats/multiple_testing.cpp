#include "atcav/stats/multiple_testing.h"

#include <algorithm>
#include <numeric>

namespace atcav::stats {

std::vector<double> bonferroni(const std::vector<double>& p) {
  std::vector<double> adjusted(p);
  for (double& value : adjusted) value = std::min(1.0, value * static_cast<double>(p.size()));
  return adjusted;
}

std::vector<double> benjamini_hochberg(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&p](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  std::vector<double> adjusted(p.size());
  double smallest = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto rank = static_cast<double>(p.size() - i);
    smallest = std::min(smallest, p[order[i]] * static_cast<double>(p.size()) / rank);
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

}  // namespace atcav::stats
