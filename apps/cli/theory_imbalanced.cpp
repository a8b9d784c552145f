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

struct ImbalancedOptions {
  std::string path;
  bool held = false;
  std::string json;
};

struct ImbalancedRow {
  double cost = 0;
  double mean_norm = 0;
  double tilt = 0;
  double from_random = 0;  // Tr Cov
  double from_concept = 0;
  double total() const { return from_random + from_concept; }
};

std::vector<ImbalancedRow> predict_imbalanced(const RidgeDescription& description, bool held) {
  stats::TwoClasses classes = description.classes;
  if (held) classes.of_concept.covariance.setZero();
  std::vector<ImbalancedRow> rows;
  for (const double lambda : description.lambdas) {
    const stats::ImbalancedLogistic law = stats::imbalanced_logistic(classes, 1 / lambda);
    rows.push_back(
        {1 / lambda, law.mean.norm(), law.tilt, law.from_random.trace(), law.from_concept.trace()});
  }
  return rows;
}

std::string imbalanced_text(const RidgeDescription& description, const std::vector<ImbalancedRow>& rows) {
  const stats::TwoClasses& classes = description.classes;
  const auto n_random = static_cast<double>(classes.n_random);
  report::TextTable table{{"C", "|mean w|", "sd, random", "sd, concept", "sd/mean", "q"}, {}};
  std::string notes;
  for (const ImbalancedRow& row : rows) {
    table.rows.push_back(
        {fmt::format("{:g}", row.cost), fmt::format("{:.5g}", row.mean_norm),
         fmt::format("{:.5g}", std::sqrt(row.from_random)),
         fmt::format("{:.5g}", std::sqrt(row.from_concept)),
         row.mean_norm > 0 ? fmt::format("{:.3f}", std::sqrt(row.total()) / row.mean_norm) : "-",
         fmt::format("{:.3f}", row.tilt)});
    const double needed = static_cast<double>(classes.n_concept) * std::exp(row.tilt);
    if (n_random < 20 * needed)
      notes +=
          fmt::format("warning: C = {:g}: {} random examples are not many against n_concept e^q = {:.0f}\n",
                      row.cost, classes.n_random, needed);
  }
  return fmt::format(
      "logistic CAVs, d = {}, {} random and {} concept examples, as if random ones were endless\n\n{}{}",
      classes.random.mean.size(), classes.n_random, classes.n_concept, format_table(table), notes);
}

nlohmann::ordered_json imbalanced_json(const RidgeDescription& description, const ImbalancedOptions& options,
                                       const std::vector<ImbalancedRow>& rows) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const ImbalancedRow& row : rows) {
    results.push_back({{"cost", row.cost},
                       {"mean_norm", row.mean_norm},
                       {"total_variance", row.total()},
                       {"from_random", row.from_random},
                       {"from_concept", row.from_concept},
                       {"tilt", row.tilt}});
  }
  const stats::TwoClasses& classes = description.classes;
  return {{"options",
           {{"d", classes.random.mean.size()},
            {"n_random", classes.n_random},
            {"n_concept", classes.n_concept},
            {"held", options.held}}},
          {"results", results}};
}

}  // namespace

void add_theory_imbalanced(CLI::App& theory, std::ostream& out) {
  auto options = std::make_shared<ImbalancedOptions>();
  CLI::App* command = theory.add_subcommand(
      "imbalanced", "Logistic CAVs of few concept and many random examples, from the moments of the data");
  command->add_option("description", options->path, "YAML as for ridge; lambda is 1/C")
      ->required()
      ->type_name("FILE");
  command->add_flag("--held", options->held, "The concept's examples are held, not drawn anew");
  add_json_option(*command, options->json);
  command->footer(
      "The limit of many normal random examples (Owen 2007): w = (S + I/(C n_concept))^-1 (concept - random "
      "mean), S\n"
      "the random covariance; for C without bound Fisher's direction. The random examples count like "
      "n_random e^-q.\n"
      "Example:\n  atcav theory imbalanced description.yaml --held");
  command->callback([options, &out] {
    const RidgeDescription description = read_ridge_description(options->path);
    const std::vector<ImbalancedRow> rows = predict_imbalanced(description, options->held);
    write_answer(out, imbalanced_text(description, rows), "theory imbalanced",
                 imbalanced_json(description, *options, rows), options->json);
  });
}

}  // namespace atcav::cli
