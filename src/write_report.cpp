#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "atcav/report.h"
#include "data/file/atomic_file.h"
#include "data/file/reader.h"
#include "data/file/sha256.h"
#include "data/image/encode_image.h"
#include "data/image/image.h"
#include "data/image/preprocess.h"
#include "report/html.h"

namespace atcav {
namespace {

constexpr Index kThumbnailSide = 96;
constexpr Index kSmallSide = 56;  // in the page of a large run, which has many

// As the network saw it, so that maps fit. A picture that cannot be read, or is another one by now, leaves a
// name alone.
std::string picture(const std::string& file, const RunResult& result) {
  const std::optional<PictureView>& view = result.view;
  try {
    const std::string bytes = data::read_file(file);
    const auto hash = result.file_hashes.find(file);
    if (hash != result.file_hashes.end() && hash->second != data::sha256(bytes)) return "";
    data::Image image = data::decode_image(bytes, file);
    if (view) {
      data::Preprocess how = view->how;
      how.bgr = false;
      image = {view->format.width, view->format.height,
               data::preprocess_pixels(image, how, {3, view->format.height, view->format.width}, file)};
    }
    return data::thumbnail_uri(image,
                               result.results.size() > report::kDetailed ? kSmallSide : kThumbnailSide);
  } catch (const std::exception&) {
    return "";
  }
}

std::vector<report::Thumbnail> pictures_of(const std::vector<std::string>& files,
                                           const std::set<Index>& shown, const RunResult& result) {
  std::vector<report::Thumbnail> pictures;
  pictures.reserve(files.size());
  for (Index i = 0; i < std::ssize(files); ++i) {
    pictures.push_back({std::filesystem::path(files[i]).filename().string(),
                        shown.contains(i) ? picture(files[i], result) : ""});
  }
  return pictures;
}

report::Extras extras_of(const RunResult& result, const std::string& command_line) {
  report::Extras extras{.command_line = command_line};
  for (const auto& [class_name, files] : result.class_files)
    extras.thumbnails[class_name] =
        pictures_of(files, report::shown_inputs(result.results, class_name), result);
  for (const auto& [class_name, texts] : result.class_texts) {
    extras.thumbnails[class_name].clear();
    for (const std::string& text : texts) extras.thumbnails[class_name].push_back({text, ""});
  }
  for (const auto& [concept_name, files] : result.concept_files) {
    extras.examples[concept_name] =
        pictures_of(files, report::shown_examples(result.results, concept_name, std::ssize(files)), result);
  }
  std::vector<std::string> few = result.random_files;
  few.resize(std::min(few.size(), static_cast<std::size_t>(report::kExamples)));
  extras.random = pictures_of(few, report::shown_examples({}, "", std::ssize(few)), result);
  return extras;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> report_files(const std::string& folder,
                                                              const RunResult& result,
                                                              const std::string& command_line) {
  const auto path = [&](std::size_t i) { return (std::filesystem::path(folder) / kReportFiles[i]).string(); };
  std::string json = report::results_json(result);
  report::Extras extras = extras_of(result, command_line);
  extras.results_sha256 = data::sha256(json);
  std::vector<std::pair<std::string, std::string>> files = {{path(0), std::move(json)},
                                                            {path(1), report::results_html(result, extras)},
                                                            {path(2), report::timings_json(result)}};
  if (result.influences) {
    files.emplace_back((std::filesystem::path(folder) / kInfluencesFile).string(),
                       influences_file(*result.influences, extras.results_sha256));
  }
  return files;
}

void write_report(const std::string& folder, const RunResult& result, const std::string& command_line) {
  const auto files = report_files(folder, result, command_line);
  data::write_files_atomically(files);
}

}  // namespace atcav
