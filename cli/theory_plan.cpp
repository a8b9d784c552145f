#include "cli/theory_plan.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "atcav/stats/planning.h"
#include "cli/theory_output.h"

namespace atcav::cli {
namespace {

struct Options {
  stats::Pilot pilot;
  double standard_error = 0;
  Index n_random = 0;   // 0: free
  Index n_concept = 0;  // 0: free
  stats::Costs costs;
  std::string json;
};

stats::Plan make_plan(const Options& options) {
  if (options.n_concept > 0)
    return stats::plan_random(options.pilot, options.standard_error, options.n_concept);
  if (options.n_random > 0)
    return stats::plan_concept(options.pilot, options.standard_error, options.n_random);
  return stats::plan_cheapest(options.pilot, options.standard_error, options.costs);
}

void answer(const Options& options, std::ostream& out) {
  const stats::Plan plan = make_plan(options);
  const nlohmann::ordered_json fields{
      {"options",
       {{"pilot_variance_random", options.pilot.random_variance},
        {"pilot_variance_concept", options.pilot.concept_variance},
        {"standard_error", options.standard_error}}},
      {"possible", plan.possible},
      {"n_random", plan.n_random > 0 ? nlohmann::ordered_json(plan.n_random) : nlohmann::ordered_json()},
      {"n_concept", plan.n_concept > 0 ? nlohmann::ordered_json(plan.n_concept) : nlohmann::ordered_json()},
      {"standard_error", plan.standard_error},
      {"reason", plan.reason}};
  write_answer(out, plan.reason + "\n", "theory plan", fields, options.json);
}

}  // namespace

void add_theory_plan(CLI::App& theory, std::ostream& out) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      theory.add_subcommand("plan", "How many examples for a wanted standard error of a score");
  command
      ->add_option("--pilot-variance-random", options->pilot.random_variance,
                   "Variance of the score's influence values over the pilot's random rows")
      ->required();
  command
      ->add_option("--pilot-variance-concept", options->pilot.concept_variance,
                   "The same over the pilot's concept rows")
      ->required();
  command->add_option("--standard-error", options->standard_error, "The wanted standard error")->required();
  CLI::Option* n_random =
      command->add_option("--n-random", options->n_random, "Random examples at hand: plan concept ones")
          ->check(CLI::PositiveNumber);
  command->add_option("--n-concept", options->n_concept, "Concept examples at hand: plan random ones")
      ->check(CLI::PositiveNumber)
      ->excludes(n_random);
  command->add_option("--cost-random", options->costs.random, "Cost of a random example, when both are free")
      ->capture_default_str();
  command
      ->add_option("--cost-concept", options->costs.of_concept,
                   "Cost of a concept example, when both are free")
      ->capture_default_str();
  add_json_option(*command, options->json);
  command->footer(
      "Examples:\n"
      "  atcav theory plan --pilot-variance-random 0.8 --pilot-variance-concept 0.3 --standard-error 0.02\n"
      "  atcav theory plan --pilot-variance-random 0.8 --pilot-variance-concept 0.3 --standard-error 0.06 "
      "--n-concept 100");
  command->callback([options, &out] { answer(*options, out); });
}

}  // namespace atcav::cli
