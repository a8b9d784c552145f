#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

// `atcav theory plan`: how many random and concept examples for a wanted standard error.
namespace atcav::cli {

void add_theory_plan(CLI::App& theory, std::ostream& out);

}  // namespace atcav::cli
