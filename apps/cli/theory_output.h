#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

// Where the subcommands of `atcav theory` put their answer: the text on the terminal, the same numbers as
// JSON on request. `--json -` replaces the text, `--json FILE` comes beside it.
namespace atcav::cli {

// Adds --json; the string lives as long as the command's options.
void add_json_option(CLI::App& command, std::string& json_path);

// {"atcav": version, "command": command, ...fields}; throws std::runtime_error if FILE cannot be written.
void write_answer(std::ostream& out, const std::string& text, const std::string& command,
                  const nlohmann::ordered_json& fields, const std::string& json_path);

}  // namespace atcav::cli
