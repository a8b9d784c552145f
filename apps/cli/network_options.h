#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "atcav/run/run_config.h"

// Options of every command that takes a network and folders of examples. Defaults come from Config.
namespace atcav::cli {

// --class and --concept as typed; they go into the configuration after parsing.
struct NamedSets {
  std::vector<std::string> classes;
  std::vector<std::string> concepts;
};

void add_network_options(CLI::App& app, Config& config, NamedSets& sets);
// Sets on the command line replace those of the configuration.
void apply_named_sets(const NamedSets& sets, Config& config);

}  // namespace atcav::cli
