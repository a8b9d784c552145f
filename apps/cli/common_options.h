#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "atcav/run/options.h"

// Options that several commands share. Defaults come from Options, so the help cannot differ
// from what the library does.
namespace atcav::cli {

struct CommonOptions {
  Options options;
  std::string json;    // FILE, or - for standard output
  std::string output;  // folder for results.json, report.html and timings.json
  bool quiet = false;
  std::string command_line;  // to be typed again
};

void add_common_options(CLI::App& command, CommonOptions& common);

// "NAME=FILE" as given on the command line; std::invalid_argument naming the option otherwise.
std::pair<std::string, std::string> split_named(const std::string& option, const std::string& text);

}  // namespace atcav::cli
