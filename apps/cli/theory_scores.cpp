#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "apps/cli/theory.h"
#include "atcav/options.h"
#include "atcav/theory.h"
#include "report/text_table.h"

namespace atcav::cli {
namespace {

struct ScoresOptions {
  stats::ScoreModel model;
  Index runs = 10;
  std::vector<std::string> alphas = {alpha_text(Alpha::Kind::kStar), alpha_text(Alpha::Kind::kDagger)};
  std::string json;
};

struct ScoresRow {
  std::string score;
  std::optional<Alpha> alpha;
  double steepness;
  stats::Moments approximate;
  stats::Moments exact;
  int peaks = 0;  // 0: at whole numbers of runs
};

// Here 0 is a number as any other: every score is then ½.
Alpha alpha_of(const std::string& text) {
  double number = 0;
  return CLI::detail::lexical_cast(text, number) ? Alpha(number) : read_alpha(text);
}

double steepness(const ScoresOptions& options, const Alpha& alpha) {
  switch (alpha.kind) {
    case Alpha::Kind::kStar:
      return stats::model_alpha_star(options.model, options.runs);
    case Alpha::Kind::kDagger:
      return stats::model_alpha_dagger(options.model);
    case Alpha::Kind::kNumber:
      break;
  }
  return alpha.value;
}

std::vector<ScoresRow> predict_scores(const ScoresOptions& options) {
  const stats::Moments tcav = stats::tcav_moments(options.model);
  const stats::Moments multi = stats::multi_tcav_moments(options.model, options.runs);
  std::vector<ScoresRow> rows{{"TCAV", {}, 0, tcav, tcav, 2}, {"Multi-TCAV", {}, 0, multi, multi}};
  for (const std::string& text : options.alphas) {
    const Alpha alpha = alpha_of(text);
    const double value = steepness(options, alpha);
    rows.push_back({"alpha-TCAV", alpha, value, stats::alpha_tcav_moments_approximate(options.model, value),
                    stats::alpha_tcav_moments(options.model, value),
                    stats::alpha_tcav_peaks(options.model, value)});
  }
  return rows;
}

std::string scores_text(const ScoresOptions& options, const std::vector<ScoresRow>& rows) {
  const auto& [mu, sigma, samples] = options.model;
  report::TextTable table{{"score", "alpha", "mean ~", "mean =", "variance ~", "variance =", "sd =", "peaks"},
                          {}};
  for (const ScoresRow& row : rows) {
    std::string alpha = "-";
    if (row.alpha) alpha = fmt::format("{:.5g}", row.steepness);
    if (row.alpha && row.alpha->kind != Alpha::Kind::kNumber)
      alpha = fmt::format("{} = {}", alpha_text(*row.alpha), alpha);
    table.rows.push_back(
        {row.score, alpha, fmt::format("{:.6f}", row.approximate.mean), fmt::format("{:.6f}", row.exact.mean),
         fmt::format("{:.4e}", row.approximate.variance), fmt::format("{:.4e}", row.exact.variance),
         fmt::format("{:.5f}", std::sqrt(row.exact.variance)),
         row.peaks > 0 ? std::to_string(row.peaks) : "-"});
  }
  return fmt::format(
      "Sensitivity S ~ N({:g}, {:g}²/{:g}); Multi-TCAV has {} runs of {:g} samples.\n~ the paper's "
      "approximation, = exact; alpha-TCAV has two peaks from alpha = {:.5g} on\n\n{}",
      mu, sigma, samples, options.runs, samples / static_cast<double>(options.runs),
      stats::bimodal_alpha(options.model), format_table(table));
}

nlohmann::ordered_json scores_json(const ScoresOptions& options, const std::vector<ScoresRow>& rows) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const ScoresRow& row : rows) {
    nlohmann::ordered_json result{
        {"score", row.score},
        {"mean", {{"approximate", row.approximate.mean}, {"exact", row.exact.mean}}},
        {"variance", {{"approximate", row.approximate.variance}, {"exact", row.exact.variance}}}};
    if (row.peaks > 0) result["peaks"] = row.peaks;
    if (row.alpha) {
      result["choice"] = alpha_text(*row.alpha);
      result["alpha"] = row.steepness;
    }
    results.push_back(result);
  }
  const auto& [mu, sigma, samples] = options.model;
  return {{"options", {{"mu", mu}, {"sigma", sigma}, {"n", samples}, {"runs", options.runs}}},
          {"bimodal_alpha", stats::bimodal_alpha(options.model)},
          {"results", results}};
}

std::string check_alpha(const std::string& text) try {
  const Alpha alpha = alpha_of(text);
  if (alpha.value >= 0 && std::isfinite(alpha.value)) return "";
  return fmt::format("alpha is {}, must be star, dagger or a number >= 0", text);
} catch (const std::invalid_argument&) {
  return fmt::format("alpha is {}, must be star, dagger or a number >= 0", text);
}

}  // namespace

void add_theory_scores(CLI::App& theory, std::ostream& out) {
  auto options = std::make_shared<ScoresOptions>();
  CLI::App* command = theory.add_subcommand("scores", "Mean and variance of TCAV, Multi-TCAV and alpha-TCAV");
  add_shown(*command, "--mu", options->model.mu, "Sensitivity under the population's CAV");
  add_shown(*command, "--sigma", options->model.sigma, "Noise of one example, > 0");
  command->add_option("--n", options->model.samples, "Examples behind the CAV, the whole budget")->required();
  add_shown(*command, "--runs", options->runs, "Runs that Multi-TCAV splits the budget into");
  command->add_option("--alpha", options->alphas, "star, dagger or a number, on the scale of S; repeatable")
      ->type_name("star|dagger|NUMBER")
      ->check(CLI::Validator(check_alpha, ""))
      ->expected(1)
      ->take_all()
      ->capture_default_str();
  add_json_option(*command, options->json);
  command->footer(
      "Approximate (the paper's formulas) and exact (quadrature) side by side; TCAV and Multi-TCAV are "
      "closed.\nWith two peaks a score is mostly near 0 or 1 and says yes or no, as TCAV; with one it is a "
      "number.\n"
      "Example:\n  atcav theory scores --mu 0.1 --n 1000 --runs 10 --alpha 3 --alpha star --alpha dagger");
  command->callback([options, &out] {
    const std::vector<ScoresRow> rows = predict_scores(*options);
    write_answer(out, scores_text(*options, rows), "theory scores", scores_json(*options, rows),
                 options->json);
  });
}

}  // namespace atcav::cli
