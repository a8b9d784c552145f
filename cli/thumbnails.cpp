#include "thumbnails.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <set>

#include "atcav/io/data_uri.h"
#include "atcav/io/image.h"
#include "atcav/io/reader.h"

namespace atcav::cli {
namespace {

constexpr Index kSide = 96;

// Numbers of the inputs with the largest and with the smallest sensitivities of any result of the class.
std::set<Index> shown(const experiment::Scored& scored, const std::string& class_name) {
  std::set<Index> inputs;
  for (const experiment::Result& result : scored.results) {
    if (result.class_name != class_name) continue;
    std::vector<Index> order(result.sensitivities.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return result.sensitivities[a] < result.sensitivities[b]; });
    const auto count = std::min<std::size_t>(order.size(), report::kExtremes);
    inputs.insert(order.begin(), order.begin() + static_cast<Index>(count));
    inputs.insert(order.end() - static_cast<Index>(count), order.end());
  }
  return inputs;
}

std::string picture(const std::string& file) {
  try {
    return io::thumbnail_uri(io::decode_image(io::open_file(file)->text(), file), kSide);
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace

report::Thumbnails make_thumbnails(const experiment::Scored& scored) {
  report::Thumbnails thumbnails;
  for (const auto& [class_name, files] : scored.class_files) {
    const std::set<Index> wanted = shown(scored, class_name);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool show = wanted.contains(static_cast<Index>(i));
      thumbnails[class_name].push_back(
          {std::filesystem::path(files[i]).filename().string(), show ? picture(files[i]) : ""});
    }
  }
  return thumbnails;
}

}  // namespace atcav::cli
