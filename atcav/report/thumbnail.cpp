#include "atcav/report/thumbnail.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "atcav/base/check.h"

namespace atcav::report {

Extremes extremes_of(const std::vector<double>& sensitivities) {
  std::vector<Index> order(sensitivities.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return sensitivities[a] > sensitivities[b]; });
  const Index shown = std::min<Index>(kExtremes, (static_cast<Index>(order.size()) + 1) / 2);
  return {{order.begin(), order.begin() + shown}, {order.rbegin(), order.rbegin() + shown}};
}

std::map<std::string, std::map<Index, Thumbnail>> shown_thumbnails(const std::vector<Result>& results,
                                                                   const Thumbnails& thumbnails) {
  std::map<std::string, std::map<Index, Thumbnail>> shown;
  for (std::size_t r = 0; r < std::min(results.size(), kDetailed); ++r) {
    const Result& result = results[r];
    const auto found = thumbnails.find(result.class_name);
    if (found == thumbnails.end()) continue;
    check_same("shown_thumbnails", "number", fmt::format("thumbnails of '{}'", result.class_name),
               static_cast<Index>(found->second.size()), "its sensitivities",
               static_cast<Index>(result.sensitivities.size()));
    const Extremes ends = extremes_of(result.sensitivities);
    for (const auto* list : {&ends.most, &ends.least}) {
      for (const Index input : *list) {
        const Thumbnail& thumbnail = found->second[input];
        if (!thumbnail.uri.empty() && !thumbnail.uri.starts_with("data:image/")) {
          fail_argument("shown_thumbnails",
                        fmt::format("picture of '{}' is not a data:image/ address", thumbnail.name));
        }
        shown[result.class_name][input] = thumbnail;
      }
    }
  }
  return shown;
}

}  // namespace atcav::report
