#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>

#include "apps/cli/command.h"
#include "apps/cli/theory.h"
#include "atcav/planning.h"
#include "core/check.h"
#include "data/file/reader.h"

namespace atcav::cli {
namespace {

struct PlanOptions {
  stats::Pilot pilot;
  std::string results;  // a results.json to take the pilot from
  std::string of_concept;
  double standard_error = 0;
  double detect = 0;  // an effect d to be found, instead of a standard error
  double power = 0.8;
  double level = 0.95;
  Index tests = 1;
  double degrees = HUGE_VAL;  // of the pilot's variances, where its results.json tells
  Index n_random = 0;         // 0: free
  Index n_concept = 0;        // 0: free
  stats::Costs costs;
  std::string json;
};

// Fewer examples than this tell a variance only to within half of it.
constexpr double kLeastPilot = 10;

// From the first result of the file that is of the concept and knows its errors by set (pattern and fast), in
// units of d; and the degrees of freedom of its error.
std::pair<stats::Pilot, double> read_pilot(const std::string& file, const std::string& of_concept) {
  const auto json = nlohmann::json::parse(data::read_file(file), nullptr, false);
  if (json.is_object() && json.contains("results")) {
    for (const auto& result : json["results"]) {
      const auto effect = result.value("effect", nlohmann::json::object());
      const auto error = effect.value("error", nlohmann::json::object());
      if (!error.contains("random") || error["random"].is_null()) continue;
      if (!of_concept.empty() && result.value("concept", "") != of_concept) continue;
      const double n_random = result.at("n_random");
      const double n_concept = result.at("n_concept");
      const double n_class = result.at("n_class");
      const double random = error["random"];
      const double of_examples = error["concept"];
      const double inputs = error["inputs"];
      for (const auto& [name, count] :
           {std::pair("concept examples", n_concept), std::pair("random examples", n_random),
            std::pair("class inputs", n_class)}) {
        if (count < kLeastPilot) {
          fail_argument("theory plan",
                        fmt::format("{} has {} {}, must be at least {}: so few cannot tell how "
                                    "large the noise is",
                                    file, count, name, kLeastPilot));
        }
      }
      // error.random² = sd²/n with sd the unit of d.
      const double unit = random * random * n_random;
      if (unit == 0 || (effect.contains("d") && effect["d"].is_null()))
        fail_argument("theory plan", file + ": random examples do not move the logit, so d is not defined");
      return {{1, of_examples * of_examples * n_concept / unit, inputs * inputs / unit},
              effect.value("df", HUGE_VAL)};
    }
  }
  fail_argument("theory plan",
                fmt::format("{} has no result{} with effect.error.random (pattern and fast have it)", file,
                            of_concept.empty() ? "" : fmt::format(" for concept '{}'", of_concept)));
}

stats::Plan make_plan(const PlanOptions& options) {
  if (options.n_concept > 0)
    return stats::plan_random(options.pilot, options.standard_error, options.n_concept);
  if (options.n_random > 0)
    return stats::plan_concept(options.pilot, options.standard_error, options.n_random);
  return stats::plan_cheapest(options.pilot, options.standard_error, options.costs);
}

void answer_plan(PlanOptions options, std::ostream& out) {
  if (!options.results.empty()) {
    std::tie(options.pilot, options.degrees) = read_pilot(options.results, options.of_concept);
  } else if (options.pilot.random_variance == 0 && options.pilot.concept_variance == 0) {
    fail_argument("theory plan",
                  "a pilot is needed: --results, or both --pilot-variance-random and -concept");
  }
  if (options.detect > 0)
    options.standard_error =
        stats::detecting_error(options.detect, options.level, options.power, options.degrees, options.tests);
  check_positive("theory plan", "standard-error", options.standard_error);
  stats::Plan plan = make_plan(options);
  if (options.detect > 0) {
    plan.reason += fmt::format("; an effect d of {:g} is then found with probability {:g} at level {:g}",
                               options.detect, options.power, options.level);
    if (options.tests > 1) plan.reason += fmt::format(" corrected over {} tests", options.tests);
  }
  const nlohmann::ordered_json fields{
      {"options",
       {{"pilot_variance_random", options.pilot.random_variance},
        {"pilot_variance_concept", options.pilot.concept_variance},
        {"pilot_variance_inputs", options.pilot.inputs_variance},
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
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command =
      theory.add_subcommand("plan", "How many examples for a wanted standard error of an effect");
  CLI::Option* results =
      command->add_option("--results", options->results, "Take the pilot from this results.json");
  command
      ->add_option("--concept", options->of_concept, "Which concept of --results; the first one if not given")
      ->needs(results);
  CLI::Option* of_random =
      command->add_option("--pilot-variance-random", options->pilot.random_variance,
                          "Variance of the mean gradient's product with the pilot's random rows");
  CLI::Option* of_concept = command->add_option("--pilot-variance-concept", options->pilot.concept_variance,
                                                "The same over the pilot's concept rows");
  of_random->needs(of_concept)->excludes(results);
  of_concept->needs(of_random)->excludes(results);
  CLI::Option* error = command->add_option("--standard-error", options->standard_error,
                                           "The wanted standard error (of d, with --results)");
  CLI::Option* detect =
      command->add_option("--detect", options->detect, "An effect d to be found, instead of --standard-error")
          ->check(CLI::PositiveNumber)
          ->excludes(error);
  add_shown(*command, "--power", options->power, "Probability of finding it")->needs(detect);
  add_shown(*command, "--level", options->level, "1 - the probability of a false alarm")->needs(detect);
  add_shown(*command, "--tests", options->tests, "Results that p is corrected over")
      ->needs(detect)
      ->check(CLI::PositiveNumber);
  CLI::Option* n_random =
      command->add_option("--n-random", options->n_random, "Random examples you have: plan concept ones")
          ->check(CLI::PositiveNumber);
  command->add_option("--n-concept", options->n_concept, "Concept examples you have: plan random ones")
      ->check(CLI::PositiveNumber)
      ->excludes(n_random);
  add_shown(*command, "--cost-random", options->costs.random, "Cost of a random example, when both are free");
  add_shown(*command, "--cost-concept", options->costs.of_concept,
            "Cost of a concept example, when both are free");
  add_json_option(*command, options->json);
  command->footer(
      "Examples:\n"
      "  atcav theory plan --results out/results.json --concept striped --standard-error 0.1\n"
      "  atcav theory plan --results out/results.json --concept striped --detect 0.5 --power 0.9\n"
      "  atcav theory plan --pilot-variance-random 0.8 --pilot-variance-concept 0.3 --standard-error 0.02\n"
      "  atcav theory plan --pilot-variance-random 0.8 --pilot-variance-concept 0.3 --standard-error 0.06 "
      "--n-concept 100");
  command->callback([options, &out] { answer_plan(*options, out); });
}

}  // namespace atcav::cli
