#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

// `atcav theory ratio`: the variance of α*-TCAV relative to Multi-TCAV, the paper's r(s) and the exact one.
namespace atcav::cli {

void add_theory_ratio(CLI::App& theory, std::ostream& out);

}  // namespace atcav::cli
