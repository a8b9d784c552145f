#include "apps/cli/theory.h"

#include <iostream>

#include "apps/cli/command.h"
#include "apps/cli/theory_plan.h"
#include "apps/cli/theory_ratio.h"
#include "apps/cli/theory_ridge.h"
#include "apps/cli/theory_scores.h"

namespace atcav::cli {

void add_theory_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  add_theory_command(app, std::cout);
}

void add_theory_command(CLI::App& app, std::ostream& out) {
  CLI::App* theory =
      app.add_subcommand("theory", "Predictions: moments of scores, r(s), ridge CAVs, sample sizes");
  theory->require_subcommand(1);
  add_theory_scores(*theory, out);
  add_theory_ratio(*theory, out);
  add_theory_ridge(*theory, out);
  add_theory_plan(*theory, out);
}

}  // namespace atcav::cli
