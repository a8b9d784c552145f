#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "atcav/config.h"
#include "atcav/result.h"

// The commands of the program, and what several of them share: options from the library's table, files that
// are checked before the work and written after it.
namespace atcav::cli {

// One function per command: it adds the subcommand, whose callback does the work. `arguments` is the command
// line behind the program's name, for commands that say how to repeat them.
void add_score_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_run_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_share_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_merge_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_compare_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_reanalyse_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_repair_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_discover_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_layers_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_theory_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_demo_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_paper_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_completion_command(CLI::App& app, const std::vector<std::string>& arguments);

// Exit codes that scripts may rely on.
enum ExitCode : int {
  kOk = 0,            // every number is there
  kChanged = 1,       // compare --fail-on-change: something did
  kUsage = 2,         // a bad option or argument, or arrays that do not fit together
  kFile = 3,          // a file or device that cannot be read or written
  kInterrupted = 130  // Ctrl-C or SIGTERM
};

// What `compare --fail-on-change` ends with.
struct Changed {};

// Options of pipeline/option_table.h as typed, applied to a configuration when all is known: flags win over a
// file.
class TypedOptions {
 public:
  // Adds those of the command ("run" or "score"), in groups, with the table's help and defaults. `only` some
  // of them, where it is not empty.
  void add(CLI::App& app, const std::string& command, const std::vector<std::string>& only = {});
  // std::invalid_argument with option and value.
  void apply(Config& config) const;

 private:
  std::map<std::string, std::vector<std::string>> texts_;  // by key
};

// An option whose default the help shows.
template <typename Value>
CLI::Option* add_shown(CLI::App& app, const char* name, Value& value, const char* help) {
  return app.add_option(name, value, help)->capture_default_str();
}

inline constexpr const char* kRunningGroup = "Running and output";  // of options

// Where results go.
struct Output {
  std::string json;          // FILE, or - for standard output
  std::string folder;        // for results.json, report.html and timings.json
  std::string figures = {};  // folder for one SVG per chart
  bool lines = false;        // results.jsonl too
  bool quiet = false;
  std::string command_line = {};  // to be typed again
};
void add_output_options(CLI::App& app, Output& output);
// --json and the option that names the folder for these files, of commands that answer with an Answer.
void add_folder_options(CLI::App& app, Output& output,
                        const std::string& files = "results.json and report.html",
                        const std::string& folder = "-o");
void add_quiet_option(CLI::App& app, Output& output, const std::string& what = "no table, no progress");
// Refuses '', most likely a variable of the shell that is not set: what was computed would be lost.
CLI::Validator not_empty();

// Before the work: every file that will be written can be, none is an input or another output, and none
// replaces a file that atcav did not write. Makes nothing. `further` files beside those of `output`.
void check_output(const Output& output, const Config& config, const std::vector<std::string>& further = {});
// After it: all files at once, or none; then remarks, unless quiet.
void write_files(const Output& output, const RunResult& result, const std::string& save_cavs = "");
// The same, then the table and where the report is.
void write_output(const Output& output, const RunResult& result, const std::string& save_cavs = "");

// What a command has to say that makes no RunResult.
struct Answer {
  std::string json = {};
  std::string table = {};
  std::vector<std::pair<std::string, std::string>> files = {};  // path and content, beside --json's
  std::vector<std::string> remarks = {};
};
// results.json and report.html of the output's folder; none where there is no folder.
std::vector<std::pair<std::string, std::string>> folder_files(const Output& output, const std::string& json,
                                                              const std::string& page);
// As write_output.
void write_answer(const Output& output, Answer answer);

// std::runtime_error unless the file can be written and, if it exists, holds `mark` in its first
// 4 kB: what atcav writes does, so nobody else's file is replaced.
void check_replaceable(const std::string& path, std::string_view mark = "atcav");

// "atcav" and the arguments after it as a shell would have to be given them.
std::string quoted(const std::vector<std::string>& arguments);

}  // namespace atcav::cli
