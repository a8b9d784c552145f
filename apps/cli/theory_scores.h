#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

// `atcav theory scores`: mean and variance of TCAV, Multi-TCAV and α-TCAV for given μ, σ, N, s, α.
namespace atcav::cli {

void add_theory_scores(CLI::App& theory, std::ostream& out);

}  // namespace atcav::cli
