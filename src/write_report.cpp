#include "write_report.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "atcav/discover.h"
#include "atcav/report.h"
#include "data/file/atomic_file.h"
#include "data/file/sha256.h"
#include "data/file/tar.h"
#include "data/image/encode_image.h"
#include "data/image/image.h"
#include "data/image/preprocess.h"
#include "pipeline/influences.h"
#include "report/discover.h"
#include "report/html.h"
#include "report/json_text.h"

namespace atcav {
namespace {

constexpr Index kThumbnailSide = 96;
constexpr Index kSmallSide = 56;  // in the page of a large run, which has many

// As the network saw it, so that maps fit. A picture that cannot be read, or is another one by now, leaves a
// name alone.
std::string picture(const std::string& file, const RunInfo& run, Index side) {
  const std::optional<PictureView>& view = run.view;
  try {
    const std::string bytes = data::read_file_or_member(file);
    const auto hash = run.file_hashes.find(file);
    if (hash != run.file_hashes.end() && hash->second != data::sha256(bytes)) return "";
    data::Image image = data::decode_image(bytes, file);
    if (view) {
      data::Preprocess how = view->how;
      how.bgr = false;
      image = {view->format.width, view->format.height,
               data::preprocess_pixels(image, how, {3, view->format.height, view->format.width}, file)};
    }
    return data::thumbnail_uri(image, side);
  } catch (const std::exception&) {
    return "";
  }
}

std::vector<report::Thumbnail> pictures_of(const std::vector<std::string>& files,
                                           const std::set<Index>& shown, const RunResult& result) {
  std::vector<report::Thumbnail> pictures;
  pictures.reserve(files.size());
  const Index side = result.results.size() > report::kDetailed ? kSmallSide : kThumbnailSide;
  for (Index i = 0; i < std::ssize(files); ++i) {
    pictures.push_back({std::filesystem::path(files[i]).filename().string(),
                        shown.contains(i) ? picture(files[i], result, side) : ""});
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

std::vector<data::FileContent> report_contents(const std::string& folder, const RunResult& result,
                                               const std::string& command_line, bool lines) {
  const auto path = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  const auto sha256 = std::make_shared<std::string>();  // of results.json, once it is written
  std::vector<data::FileContent> files = {
      {path(kReportFiles[0]),
       [&result, sha256](const data::TextSink& sink) {
         data::Sha256 hash;
         report::write_results_json(result, [&](std::string_view text) {
           hash.update(text);
           sink(text);
         });
         *sha256 = hash.hex();
       }},
      {path(kReportFiles[1]),
       [&result, command_line, sha256](const data::TextSink& sink) {
         report::Extras extras = extras_of(result, command_line);
         extras.results_sha256 = *sha256;
         sink(report::results_html(result, extras));
       }},
      {path(kReportFiles[2]), [&result](const data::TextSink& sink) { sink(report::timings_json(result)); }}};
  if (result.influences) {
    files.push_back({path(kInfluencesFile), [&result, sha256](const data::TextSink& sink) {
                       sink(influences_file(*result.influences, *sha256));
                     }});
  }
  if (lines) {
    files.push_back({path(kLinesFile),
                     [&result](const data::TextSink& sink) { report::write_results_lines(result, sink); }});
  }
  return files;
}

std::vector<std::pair<std::string, std::string>> report_files(const std::string& folder,
                                                              const RunResult& result,
                                                              const std::string& command_line) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const data::FileContent& file : report_contents(folder, result, command_line, false)) {
    files.emplace_back(file.path, "");
    file.write([&text = files.back().second](std::string_view piece) { text += piece; });
  }
  return files;
}

std::vector<std::pair<std::string, std::string>> discover_files(const std::string& folder,
                                                                const Discovered& found,
                                                                const std::string& command_line) {
  const auto path = [&](std::size_t i) { return (std::filesystem::path(folder) / kReportFiles[i]).string(); };
  std::map<std::string, std::string> pictures;
  for (const Candidate& one : found.candidates) {
    for (const ShownPatch& patch : one.shown)
      if (!patch.file.empty() && found.view && !pictures.contains(patch.file))
        pictures[patch.file] = picture(patch.file, found, kThumbnailSide);
  }
  RunResult times;
  static_cast<RunInfo&>(times) = found;
  return {{path(0), report::discover_json(found)},
          {path(1), report::discover_html(found, pictures, command_line)},
          {path(2), report::timings_json(times)}};
}

void write_report(const std::string& folder, const RunResult& result, const std::string& command_line) {
  data::write_files_atomically(report_contents(folder, result, command_line, false));
}

}  // namespace atcav
