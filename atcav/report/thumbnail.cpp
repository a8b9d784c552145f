#include "atcav/report/thumbnail.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "atcav/base/check.h"

namespace atcav::report {
namespace {

// Numbers of the inputs with the largest and the smallest sensitivities. Ties go to the first input, as in
// the page's script.
std::vector<Index> extremes(const std::vector<double>& sensitivities) {
  std::vector<Index> order(sensitivities.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return sensitivities[a] > sensitivities[b]; });
  const auto shown = std::min<std::size_t>(kExtremes, order.size());
  std::vector<Index> ends(order.begin(), order.begin() + static_cast<Index>(shown));
  ends.insert(ends.end(), order.end() - static_cast<Index>(shown), order.end());
  return ends;
}

}  // namespace

std::map<std::string, std::map<Index, Thumbnail>> shown_thumbnails(
    const std::vector<experiment::Result>& results, const Thumbnails& thumbnails) {
  std::map<std::string, std::map<Index, Thumbnail>> shown;
  for (const experiment::Result& result : results) {
    const auto found = thumbnails.find(result.class_name);
    if (found == thumbnails.end()) continue;
    check_same("shown_thumbnails", "number", fmt::format("thumbnails of '{}'", result.class_name),
               static_cast<Index>(found->second.size()), "its sensitivities",
               static_cast<Index>(result.sensitivities.size()));
    for (const Index input : extremes(result.sensitivities)) {
      const Thumbnail& thumbnail = found->second[input];
      if (!thumbnail.uri.empty() && !thumbnail.uri.starts_with("data:image/")) {
        fail_argument("shown_thumbnails",
                      fmt::format("picture of '{}' is not a data:image/ address", thumbnail.name));
      }
      shown[result.class_name][input] = thumbnail;
    }
  }
  return shown;
}

}  // namespace atcav::report
