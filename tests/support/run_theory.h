#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "apps/cli/theory.h"

// `atcav theory …` inside a test: what it prints, or what it throws.
namespace atcav::testing_support {

inline std::string run_theory(const std::string& arguments) {
  CLI::App app;
  std::ostringstream out;
  cli::add_theory_command(app, out);
  app.parse("theory " + arguments);
  return out.str();
}

inline nlohmann::json run_theory_json(const std::string& arguments) {
  return nlohmann::json::parse(run_theory(arguments + " --json -"));
}

}  // namespace atcav::testing_support
