#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "atcav/report.h"
#include "atcav/run.h"
#include "core/check.h"
#include "data/file/atomic_file.h"
#include "data/file/fail.h"
#include "data/file/reader.h"
#include "report/escape.h"
#include "report/figures.h"
#include "report/json_text.h"
#include "write_report.h"

namespace atcav::cli {
namespace {

namespace fs = std::filesystem;

// A path of the command line without the tensor behind it.
fs::path file_of(std::string spec) {
  std::error_code none;
  while (!fs::exists(spec, none) && spec.find(':') != std::string::npos) spec.erase(spec.rfind(':'));
  return spec;
}

std::vector<fs::path> inputs_of(const Config& config) {
  std::vector<fs::path> inputs;
  for (const std::string& path :
       {config.model, config.random, config.cavs, config.pool_examples, config.labels})
    inputs.push_back(file_of(path));
  for (const auto* list : {&config.concepts, &config.gradients}) {
    for (const ExampleSet& set : *list) inputs.push_back(file_of(set.path));
  }
  for (const ClassSet& set : config.classes) inputs.push_back(file_of(set.path));
  return inputs;
}

void check_no_input(const fs::path& output, const fs::path& input) {
  std::error_code gone;
  if (fs::equivalent(output, input, gone) && !gone)
    fail_argument("output", fmt::format("{} is an input, must be another file", output.string()));
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  if (fs::is_directory(input, gone) && fs::equivalent(folder, input, gone) && !gone)
    fail_argument("output",
                  fmt::format("{} would lie among the examples in {}", output.string(), input.string()));
}

// The folders that are not there yet are made when there is something to put into them.
void check_folder(const fs::path& wanted) {
  fs::path folder = fs::absolute(wanted);
  std::error_code none;  // a link that leads nowhere is there
  while (!fs::exists(folder, none) && !fs::is_symlink(folder, none) && folder != folder.parent_path())
    folder = folder.parent_path();
  if (!fs::is_directory(folder, none))
    data::fail_file("output", wanted.string(), "{} is not a folder", folder.string());
  if (access(folder.c_str(), W_OK) != 0)
    data::fail_file("output", wanted.string(), "{} cannot be written", folder.string());
}

// Which charts there will be is known after the work, so every existing SVG file must be
// atcav's.
void check_figures(const std::string& folder, const std::vector<fs::path>& inputs) {
  check_folder(folder);
  for (const fs::path& input : inputs) check_no_input(fs::path(folder) / "effects.svg", input);
  if (!fs::exists(folder)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".svg") check_replaceable(entry.path().string());
  }
}

void print_remarks(const std::vector<std::string>& remarks) {
  for (const std::string& remark : remarks)
    std::fputs(fmt::format("atcav: note: {}\n", report::printable(remark)).c_str(), stderr);
}

void print_folder(const Output& output) {
  if (!output.folder.empty()) fmt::print("report: {}/report.html\n", report::printable(output.folder));
}

}  // namespace

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? "is '', must be left out or a name" : ""; },
          ""};
}

void add_folder_options(CLI::App& app, Output& output, const std::string& files, const std::string& folder) {
  app.add_option("--json", output.json, "write results.json here, - for standard output")
      ->type_name("FILE")
      ->check(not_empty())
      ->group(kRunningGroup);
  app.add_option(folder, output.folder, "folder for " + files)
      ->type_name("DIR")
      ->check(not_empty())
      ->group(kRunningGroup);
}

void add_quiet_option(CLI::App& app, Output& output, const std::string& what) {
  app.add_flag("-q,--quiet", output.quiet, what)->group(kRunningGroup);
}

void add_output_options(CLI::App& app, Output& output) {
  add_folder_options(app, output, "results.json, report.html and timings.json");
  app.add_flag("--jsonl", output.lines, "in that folder also results.jsonl, a result per line")
      ->group(kRunningGroup);
  app.add_option("--figures", output.figures, "folder for every chart as an SVG file")
      ->type_name("DIR")
      ->check(not_empty())
      ->group(kRunningGroup);
  add_quiet_option(app, output);
}

void check_replaceable(const std::string& path, std::string_view mark) {
  data::check_writable(path);
  if (!fs::is_regular_file(path) || fs::file_size(path) == 0) return;
  constexpr std::size_t kBeginning = 4096;
  if (data::open_file(path)->read(0, kBeginning).find(mark) == std::string::npos)
    data::fail_file("output", path, "exists and was not written by atcav; remove it or choose another name");
}

void check_output(const Output& output, const Config& config, const std::vector<std::string>& further) {
  std::vector<std::string> files;
  for (const std::string& file : further) {
    if (!file.empty()) files.push_back(file);
  }
  if (!output.json.empty() && output.json != "-") files.push_back(output.json);
  const std::size_t own = files.size();
  if (!output.folder.empty()) {
    check_folder(output.folder);
    for (const char* name : kReportFiles) files.push_back((fs::path(output.folder) / name).string());
    if (config.influences) files.push_back((fs::path(output.folder) / kInfluencesFile).string());
    if (output.lines && fs::exists(output.folder))
      check_replaceable((fs::path(output.folder) / kLinesFile).string(), "{\"concept\":");
  } else if (output.lines) {
    fail_argument("output", "--jsonl needs -o DIR, the folder that results.jsonl is written to");
  } else if (config.influences) {
    fail_argument("output", "--influences needs -o DIR, the folder that they are kept in");
  }
  const std::vector<fs::path> inputs = inputs_of(config);
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const fs::path& input : inputs) check_no_input(files[i], input);
    for (std::size_t j = 0; j < i; ++j) {
      if (fs::weakly_canonical(files[i]) == fs::weakly_canonical(files[j]))
        fail_argument("output", fmt::format("{} would be written twice", files[i]));
    }
  }
  if (!output.figures.empty()) check_figures(output.figures, inputs);
  const bool made_later = !fs::exists(output.folder);
  for (std::size_t i = 0; i < (made_later ? own : files.size()); ++i) check_replaceable(files[i]);
}

void write_files(const Output& output, const RunResult& result, const std::string& save_cavs) {
  std::vector<data::FileContent> files;
  if (!output.folder.empty())
    files = report_contents(output.folder, result, output.command_line, output.lines);
  const auto json = [&result](const data::TextSink& sink) { report::write_results_json(result, sink); };
  if (!output.json.empty() && output.json != "-") files.push_back({output.json, json});
  if (!save_cavs.empty())
    files.push_back({save_cavs, [&result](const data::TextSink& sink) { sink(cavs_file(result)); }});
  report::Figures figures;
  if (!output.figures.empty()) figures = report::make_figures(result);
  for (const report::Figure& figure : figures.list) {
    files.push_back({(fs::path(output.figures) / figure.name).string(),
                     [&figure](const data::TextSink& sink) { sink(figure.svg); }});
  }
  data::write_files_atomically(files);
  if (output.json == "-") json([](std::string_view text) { fmt::print("{}", text); });
  if (output.quiet) return;
  if (figures.left_out > 0)
    std::fputs(fmt::format("atcav: note: {} figures were written, {} left out\n", figures.list.size(),
                           figures.left_out)
                   .c_str(),
               stderr);
  print_remarks(result.remarks);
}

void write_output(const Output& output, const RunResult& result, const std::string& save_cavs) {
  write_files(output, result, save_cavs);
  if (output.quiet || output.json == "-") return;
  fmt::print("{}",
             report::results_table(result, {colours_wanted(STDOUT_FILENO), terminal_width(STDOUT_FILENO)}));
  if (!output.figures.empty()) fmt::print("figures: {}\n", report::printable(output.figures));
  print_folder(output);
}

std::vector<std::pair<std::string, std::string>> folder_files(const Output& output, const std::string& json,
                                                              const std::string& page) {
  if (output.folder.empty()) return {};
  const fs::path folder = output.folder;
  return {{(folder / "results.json").string(), json}, {(folder / "report.html").string(), page}};
}

void write_answer(const Output& output, Answer answer) {
  if (!output.json.empty() && output.json != "-") answer.files.emplace_back(output.json, answer.json);
  data::write_files_atomically(answer.files);
  if (output.json == "-") fmt::print("{}", answer.json);
  if (output.quiet) return;
  print_remarks(answer.remarks);
  if (output.json == "-") return;
  fmt::print("{}", answer.table);
  print_folder(output);
}

}  // namespace atcav::cli
