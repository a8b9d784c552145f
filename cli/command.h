#pragma once

#include <CLI/CLI.hpp>
#include <string>

// One function a command: it adds the subcommand, whose callback does the work.
namespace atcav::cli {

// `command_line` goes into the report, to be typed again.
void add_score_command(CLI::App& app, const std::string& command_line);
void add_theory_command(CLI::App& app);

// Exit codes that scripts may rely on.
enum ExitCode : int {
  kOk = 0,            // every number is there
  kUsage = 2,         // a bad option or argument, or arrays that do not fit together
  kFile = 3,          // a file or device that cannot be read or written
  kInterrupted = 130  // Ctrl-C
};

}  // namespace atcav::cli
