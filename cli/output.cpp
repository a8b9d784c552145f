#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "atcav/io/atomic_file.h"
#include "atcav/report/html.h"
#include "atcav/report/json.h"
#include "atcav/report/table.h"
#include "progress.h"

namespace atcav::cli {

void prepare_output(const CommonOptions& common) {
  if (common.output.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(common.output, error);
  if (error) throw std::runtime_error(fmt::format("[output] {}: {}", common.output, error.message()));
  if (access(common.output.c_str(), W_OK) != 0) {
    throw std::runtime_error(fmt::format("[output] {}: cannot be written", common.output));
  }
}

void write_output(const std::string& command, const CommonOptions& common, const experiment::Scored& scored,
                  const report::Thumbnails& thumbnails) {
  const std::string json = report::results_json(command, scored);
  if (common.json == "-") {
    fmt::print("{}", json);
  } else if (!common.json.empty()) {
    io::write_file_atomically(common.json, json);
  }
  if (!common.output.empty()) {
    io::write_file_atomically(common.output + "/results.json", json);
    io::write_file_atomically(common.output + "/timings.json", report::timings_json(scored));
    report::Extras extras;
    extras.command_line = common.command_line;
    extras.thumbnails = thumbnails;
    io::write_file_atomically(common.output + "/report.html", report::results_html(command, scored, extras));
  }
  if (common.quiet || common.json == "-") return;
  fmt::print("{}",
             report::results_table(scored.results, {common.options.level, colours_wanted(STDOUT_FILENO)}));
  for (const std::string& note : scored.notes) fmt::print("note: {}\n", note);
  if (!common.output.empty()) fmt::print("report: {}/report.html\n", common.output);
}

}  // namespace atcav::cli
