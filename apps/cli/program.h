#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

// What every command of the program has around it: parsing, exit codes, Ctrl-C.
namespace atcav::cli {

// Adds a subcommand; gets the arguments behind the program's name.
using AddCommand = std::function<void(CLI::App&, const std::vector<std::string>&)>;

// main() of a program with these commands. Errors become one line on standard error and an exit code.
int run_program(int argc, char** argv, const std::vector<AddCommand>& commands);

}  // namespace atcav::cli
