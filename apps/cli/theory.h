#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

// `atcav theory`: what the mathematics predicts before any model is run. Subcommands scores, ratio, ridge
// and plan, one file each; every one prints a table or a sentence and, with --json, the same numbers.
namespace atcav::cli {

// Prints to `out`; the overload in command.h prints to standard output.
void add_theory_command(CLI::App& app, std::ostream& out);

}  // namespace atcav::cli
