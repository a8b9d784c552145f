#include "atcav/write_report.h"

#include <filesystem>
#include <optional>
#include <set>

#include "atcav/io/atomic_file.h"
#include "atcav/io/encode_image.h"
#include "atcav/io/image.h"
#include "atcav/io/reader.h"
#include "atcav/report/html.h"
#include "atcav/report/json.h"

namespace atcav {
namespace {

constexpr Index kThumbnailSide = 96;

// As the network saw it, so that maps fit. A picture that cannot be read leaves a name alone.
std::string picture(const std::string& file, const std::optional<PictureView>& view) {
  try {
    io::Image image = io::decode_image(io::open_file(file)->text(), file);
    if (view) {
      io::Preprocess how = view->how;
      how.bgr = false;
      image = {view->format.width, view->format.height,
               io::preprocess_pixels(image, how, {3, view->format.height, view->format.width}, file)};
    }
    return io::thumbnail_uri(image, kThumbnailSide);
  } catch (const std::exception&) {
    return "";
  }
}

// Of the class inputs that the report shows: those with the largest and smallest sensitivities.
report::Thumbnails thumbnails_of(const RunResult& result) {
  report::Thumbnails thumbnails;
  for (const auto& [class_name, files] : result.class_files) {
    const std::set<Index> wanted = report::shown_inputs(result.results, class_name);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool show = wanted.contains(static_cast<Index>(i));
      thumbnails[class_name].push_back(
          {std::filesystem::path(files[i]).filename().string(), show ? picture(files[i], result.view) : ""});
    }
  }
  for (const auto& [class_name, texts] : result.class_texts) {
    thumbnails[class_name].clear();
    for (const std::string& text : texts) thumbnails[class_name].push_back({text, ""});
  }
  return thumbnails;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> report_files(const std::string& folder,
                                                              const RunResult& result,
                                                              const std::string& command_line) {
  const auto path = [&](std::size_t i) { return (std::filesystem::path(folder) / kReportFiles[i]).string(); };
  return {{path(0), report::results_json(result)},
          {path(1), report::results_html(result, {command_line, thumbnails_of(result)})},
          {path(2), report::timings_json(result)}};
}

void write_report(const std::string& folder, const RunResult& result, const std::string& command_line) {
  const auto files = report_files(folder, result, command_line);
  std::filesystem::create_directories(folder);
  io::write_files_atomically(files);
}

}  // namespace atcav
