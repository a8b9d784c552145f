#include "thumbnails.h"

#include <filesystem>
#include <set>

#include "atcav/io/encode_image.h"
#include "atcav/io/image.h"
#include "atcav/io/reader.h"

namespace atcav::cli {
namespace {

constexpr Index kSide = 96;

// Numbers of the inputs that the report shows for any result of the class.
template <typename Entry>
void add_shown(std::set<Index>& inputs, const std::vector<Entry>& results, const std::string& class_name) {
  for (const Entry& result : results) {
    if (result.class_name != class_name) continue;
    const report::Extremes ends = report::extremes_of(result.sensitivities);
    inputs.insert(ends.most.begin(), ends.most.end());
    inputs.insert(ends.least.begin(), ends.least.end());
  }
}

std::string picture(const std::string& file) {
  try {
    return io::thumbnail_uri(io::decode_image(io::open_file(file)->text(), file), kSide);
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace

report::Thumbnails make_thumbnails(const RunResult& scored) {
  report::Thumbnails thumbnails;
  for (const auto& [class_name, files] : scored.class_files) {
    std::set<Index> wanted;
    add_shown(wanted, scored.results, class_name);
    add_shown(wanted, scored.given, class_name);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool show = wanted.contains(static_cast<Index>(i));
      thumbnails[class_name].push_back(
          {std::filesystem::path(files[i]).filename().string(), show ? picture(files[i]) : ""});
    }
  }
  return thumbnails;
}

}  // namespace atcav::cli
