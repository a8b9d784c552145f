#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

// `atcav theory ridge description.yaml`: variability and classification error of ridge CAVs over λ, with
// pattern and fast beside them, from the moments of the data alone (ridge_description.h).
namespace atcav::cli {

void add_theory_ridge(CLI::App& theory, std::ostream& out);

}  // namespace atcav::cli
