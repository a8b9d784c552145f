#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

// `atcav theory`: what the mathematics predicts before any model is run. Every subcommand prints a table or a
// sentence and, with --json, the same numbers.
namespace atcav::cli {

// Prints to `out`; the overload in command.h prints to standard output.
void add_theory_command(CLI::App& app, std::ostream& out);

// scores: mean and variance of TCAV, Multi-TCAV and α-TCAV for given μ, σ, N, s, α.
void add_theory_scores(CLI::App& theory, std::ostream& out);
// ratio: the variance of α*-TCAV relative to Multi-TCAV, the paper's r(s) and the exact one.
void add_theory_ratio(CLI::App& theory, std::ostream& out);
// ridge description.yaml: variability and classification error of ridge CAVs over λ, with pattern and fast
// beside them, from the moments of the data alone (ridge_description.h).
void add_theory_ridge(CLI::App& theory, std::ostream& out);
// imbalanced description.yaml: logistic CAVs where random examples are many (atcav/theory.h).
void add_theory_imbalanced(CLI::App& theory, std::ostream& out);
// plan: how many random and concept examples for a wanted standard error.
void add_theory_plan(CLI::App& theory, std::ostream& out);

// Where they put their answer: the text on the terminal, the same numbers as JSON on request. `--json -`
// replaces the text, `--json FILE` comes beside it. The string lives as long as the command's options.
void add_json_option(CLI::App& command, std::string& json_path);
// {"atcav": version, "command": command, ...fields}; throws std::runtime_error if FILE cannot be written.
void write_answer(std::ostream& out, const std::string& text, const std::string& command,
                  const nlohmann::ordered_json& fields, const std::string& json_path);

}  // namespace atcav::cli
