#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <utility>
#include <vector>

#include "atcav/io/atomic_file.h"
#include "atcav/report/escape.h"
#include "atcav/report/given_html.h"
#include "atcav/report/given_table.h"
#include "atcav/report/html.h"
#include "atcav/report/json.h"
#include "atcav/report/table.h"
#include "progress.h"

namespace atcav::cli {

void prepare_output(const CommonOptions& common, const std::vector<std::string>& further) {
  std::vector<std::string> files = further;
  if (common.json != "-") files.push_back(common.json);
  if (!common.output.empty()) {
    std::error_code error;
    std::filesystem::create_directories(common.output, error);
    if (error) throw std::runtime_error(fmt::format("[output] {}: {}", common.output, error.message()));
    for (const char* name : {"results.json", "timings.json", "report.html"})
      files.push_back(common.output + "/" + name);
  }
  for (const std::string& file : files) {
    if (!file.empty()) io::check_writable(file);
  }
}

void write_output(const std::string& command, const CommonOptions& common, const RunResult& scored,
                  const report::Thumbnails& thumbnails) {
  const std::string json = report::results_json(command, scored);
  std::vector<std::pair<std::string, std::string>> files;
  if (!common.json.empty() && common.json != "-") files.emplace_back(common.json, json);
  if (!common.output.empty()) {
    files.emplace_back(common.output + "/results.json", json);
    files.emplace_back(common.output + "/timings.json", report::timings_json(scored));
    report::Extras extras;
    extras.command_line = common.command_line;
    extras.thumbnails = thumbnails;
    files.emplace_back(common.output + "/report.html", scored.given.empty()
                                                           ? report::results_html(command, scored, extras)
                                                           : report::given_html(scored, extras));
  }
  io::write_files_atomically(files);
  if (common.json == "-") fmt::print("{}", json);
  if (common.quiet) return;
  for (const auto* sentences : {&scored.notes, &scored.remarks}) {
    for (const std::string& sentence : *sentences)
      std::fputs(fmt::format("atcav: note: {}\n", report::printable(sentence)).c_str(), stderr);
  }
  if (common.json == "-") return;
  const report::TableOptions table{common.options.level, colours_wanted(STDOUT_FILENO)};
  fmt::print("{}", scored.given.empty() ? report::results_table(scored.results, table)
                                        : report::given_table(scored.given, table));
  if (!common.output.empty()) fmt::print("report: {}/report.html\n", common.output);
}

}  // namespace atcav::cli
