#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// One function a command: it adds the subcommand, whose callback does the work. `arguments` is the command
// line behind the program's name, for commands that say how to repeat them.
namespace atcav::cli {

void add_score_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_theory_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_paper_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_run_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_layers_command(CLI::App& app, const std::vector<std::string>& arguments);
void add_demo_command(CLI::App& app, const std::vector<std::string>& arguments);

// Exit codes that scripts may rely on.
enum ExitCode : int {
  kOk = 0,            // every number is there
  kUsage = 2,         // a bad option or argument, or arrays that do not fit together
  kFile = 3,          // a file or device that cannot be read or written
  kInterrupted = 130  // Ctrl-C or SIGTERM
};

}  // namespace atcav::cli
