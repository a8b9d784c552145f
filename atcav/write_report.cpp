#include "atcav/write_report.h"

#include <algorithm>
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
constexpr Index kSmallSide = 56;  // in the page of a large run, which has many

// As the network saw it, so that maps fit. A picture that cannot be read leaves a name alone.
std::string picture(const std::string& file, const RunResult& result) {
  const std::optional<PictureView>& view = result.view;
  try {
    io::Image image = io::decode_image(io::open_file(file)->text(), file);
    if (view) {
      io::Preprocess how = view->how;
      how.bgr = false;
      image = {view->format.width, view->format.height,
               io::preprocess_pixels(image, how, {3, view->format.height, view->format.width}, file)};
    }
    return io::thumbnail_uri(image, result.results.size() > report::kDetailed ? kSmallSide : kThumbnailSide);
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
          {std::filesystem::path(files[i]).filename().string(), show ? picture(files[i], result) : ""});
    }
  }
  for (const auto& [class_name, texts] : result.class_texts) {
    thumbnails[class_name].clear();
    for (const std::string& text : texts) thumbnails[class_name].push_back({text, ""});
  }
  return thumbnails;
}

report::Extras extras_of(const RunResult& result, const std::string& command_line) {
  const auto name = [](const std::string& file) { return std::filesystem::path(file).filename().string(); };
  report::Extras extras{command_line, thumbnails_of(result), {}, {}};
  for (const auto& [concept_name, files] : result.concept_files) {
    const std::set<Index> wanted =
        report::shown_examples(result.results, concept_name, static_cast<Index>(files.size()));
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool show = wanted.contains(static_cast<Index>(i));
      extras.examples[concept_name].push_back({name(files[i]), show ? picture(files[i], result) : ""});
    }
  }
  const auto few = std::min(result.random_files.size(), static_cast<std::size_t>(report::kExamples));
  for (std::size_t i = 0; i < few; ++i)
    extras.random.push_back({name(result.random_files[i]), picture(result.random_files[i], result)});
  return extras;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> report_files(const std::string& folder,
                                                              const RunResult& result,
                                                              const std::string& command_line) {
  const auto path = [&](std::size_t i) { return (std::filesystem::path(folder) / kReportFiles[i]).string(); };
  return {{path(0), report::results_json(result)},
          {path(1), report::results_html(result, extras_of(result, command_line))},
          {path(2), report::timings_json(result)}};
}

void write_report(const std::string& folder, const RunResult& result, const std::string& command_line) {
  const auto files = report_files(folder, result, command_line);
  std::filesystem::create_directories(folder);
  io::write_files_atomically(files);
}

}  // namespace atcav
