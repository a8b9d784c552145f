#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "apps/cli/ridge_description.h"
#include "apps/cli/theory.h"
#include "atcav/theory.h"
#include "report/text_table.h"

namespace atcav::cli {
namespace {

struct RidgeOptions {
  std::string path;
  double concept_weight = 0.5;
  bool centred = true;
  std::string json;
};

struct RidgeRow {
  std::string method;
  double lambda = 0;  // 0: not ridge
  double mean_norm = 0;
  double total_variance = 0;
  stats::ErrorPrediction prediction;
  int iterations = 0;
  bool converged = true;
};

RidgeRow mean_difference_row(const std::string& method, const stats::TwoClasses& classes,
                             const stats::CavLaw& law, double concept_weight) {
  return {method, 0, law.mean.norm(), stats::total_variance(law),
          stats::predict_error(classes, law, concept_weight)};
}

std::vector<RidgeRow> predict_ridge(const RidgeDescription& description, const RidgeOptions& options) {
  const stats::TwoClasses& classes = description.classes;
  std::vector<RidgeRow> rows{
      mean_difference_row("pattern", classes, stats::pattern_law(classes), options.concept_weight),
      mean_difference_row("fast", classes, stats::fast_law(classes), options.concept_weight)};
  for (const double lambda : description.lambdas) {
    const stats::RidgeEquivalent ridge =
        stats::ridge_equivalent(classes, lambda, {.centred = options.centred});
    rows.push_back({"ridge", lambda, ridge.mean.norm(), stats::ridge_total_variance(classes, ridge),
                    stats::predict_ridge_error(classes, ridge, options.concept_weight), ridge.iterations,
                    ridge.converged});
  }
  return rows;
}

std::string ridge_text(const RidgeDescription& description, const RidgeOptions& options,
                       const std::vector<RidgeRow>& rows) {
  const stats::TwoClasses& classes = description.classes;
  report::TextTable table{
      {"cav", "lambda", "|mean w|", "sd of w", "sd/mean", "threshold", "error", "accuracy"}, {}};
  std::string notes;
  for (const RidgeRow& row : rows) {
    const double sd = std::sqrt(row.total_variance);
    table.rows.push_back({row.method, row.lambda > 0 ? fmt::format("{:g}", row.lambda) : "-",
                          fmt::format("{:.5g}", row.mean_norm), fmt::format("{:.5g}", sd),
                          row.mean_norm > 0 ? fmt::format("{:.3f}", sd / row.mean_norm) : "-",
                          fmt::format("{:.4g}", row.prediction.threshold.value),
                          fmt::format("{:.4f}", row.prediction.error),
                          fmt::format("{:.4f}", 1 - row.prediction.error)});
    if (!row.converged)
      notes += fmt::format("warning: lambda {:g} did not converge in {} steps\n", row.lambda, row.iterations);
    if (row.prediction.threshold.reversed)
      notes += fmt::format("warning: {} points away from the concept\n", row.method);
  }
  return fmt::format("d = {}, {} random and {} concept examples; ridge {}\n\n{}{}",
                     classes.random.mean.size(), classes.n_random, classes.n_concept,
                     options.centred ? "centred" : "uncentred (the paper's form)", format_table(table),
                     notes);
}

nlohmann::ordered_json ridge_json(const RidgeDescription& description, const RidgeOptions& options,
                                  const std::vector<RidgeRow>& rows) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const RidgeRow& row : rows) {
    const stats::ErrorPrediction& p = row.prediction;
    nlohmann::ordered_json result{
        {"cav", row.method},
        {"mean_norm", row.mean_norm},
        {"total_variance", row.total_variance},
        {"score",
         {{"random", {{"mean", p.random.mean}, {"variance", p.random.variance}}},
          {"concept", {{"mean", p.of_concept.mean}, {"variance", p.of_concept.variance}}}}},
        {"threshold", p.threshold.value},
        {"reversed", p.threshold.reversed},
        {"error", p.error}};
    if (row.lambda > 0) {
      result["lambda"] = row.lambda;
      result["iterations"] = row.iterations;
      result["converged"] = row.converged;
    }
    results.push_back(result);
  }
  const stats::TwoClasses& classes = description.classes;
  return {{"options",
           {{"d", classes.random.mean.size()},
            {"n_random", classes.n_random},
            {"n_concept", classes.n_concept},
            {"concept_weight", options.concept_weight},
            {"centred", options.centred}}},
          {"results", results}};
}

}  // namespace

void add_theory_ridge(CLI::App& theory, std::ostream& out) {
  auto options = std::make_shared<RidgeOptions>();
  CLI::App* command =
      theory.add_subcommand("ridge", "Variability and error of ridge CAVs from the moments of the data");
  command->add_option("description", options->path, "YAML: d, n_random, n_concept, lambda, random, concept")
      ->required()
      ->type_name("FILE");
  add_shown(*command, "--concept-weight", options->concept_weight, "Weight of the concept's errors, 0 to 1");
  command->add_flag("--centred,--no-centred{false}", options->centred,
                    "Ridge with means subtracted first (the default; the paper's form is --no-centred)");
  add_json_option(*command, options->json);
  command->footer(
      "The description:\n"
      "  d: 100\n"
      "  n_random: 500\n"
      "  n_concept: 100\n"
      "  lambda: [0.1, 1, 10]\n"
      "  random:  {mean: 0.1, covariance: {toeplitz: 0.2}}\n"
      "  concept: {mean: -0.1, covariance: {toeplitz: 0.4}}\n"
      "A mean is a number, a list or an array file (.npy, .safetensors[:tensor]); a covariance is a number "
      "(times\n"
      "the identity), a list (diagonal), {toeplitz: rho}, a list of rows or an array file.\n"
      "Example:\n  atcav theory ridge description.yaml --json prediction.json");
  command->callback([options, &out] {
    const RidgeDescription description = read_ridge_description(options->path);
    const std::vector<RidgeRow> rows = predict_ridge(description, *options);
    write_answer(out, ridge_text(description, *options, rows), "theory ridge",
                 ridge_json(description, *options, rows), options->json);
  });
}

}  // namespace atcav::cli
