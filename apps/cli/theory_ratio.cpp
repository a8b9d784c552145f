#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "apps/cli/command.h"
#include "apps/cli/theory.h"
#include "atcav/theory.h"
#include "report/text_table.h"

namespace atcav::cli {
namespace {

struct RatioOptions {
  std::vector<Index> runs{2, 5, 10, 20, 50, 100};
  stats::ScoreModel model;
  std::string json;
};

void answer_ratio(const RatioOptions& options, std::ostream& out) {
  report::TextTable table{{"runs", "r(s) ~", "exact ="}, {}};
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  const auto add = [&](const std::string& name, const nlohmann::ordered_json& runs, double approximate,
                       double exact) {
    table.rows.push_back({name, fmt::format("{:.4f}", approximate), fmt::format("{:.4f}", exact)});
    results.push_back({{"runs", runs}, {"approximate", approximate}, {"exact", exact}});
  };
  const auto& [mu, sigma, samples] = options.model;
  for (const Index runs : options.runs) {
    const double signal = std::sqrt(samples / static_cast<double>(runs)) * mu / sigma;
    add(std::to_string(runs), runs, stats::variance_ratio_approximate(runs),
        stats::variance_ratio(runs, signal));
  }
  // At a fixed budget the signal of one run vanishes as their number grows.
  add("limit", nullptr, stats::variance_ratio_approximate_limit(), stats::variance_ratio_limit());
  const std::string where =
      mu == 0 ? "mu = 0, any n" : fmt::format("mu = {:g}, sigma = {:g}, n = {:g}", mu, sigma, samples);
  const std::string text =
      fmt::format("Variance of alpha*-TCAV over that of Multi-TCAV with the same budget; {}\n\n{}", where,
                  format_table(table));
  write_answer(out, text, "theory ratio",
               {{"options", {{"mu", mu}, {"sigma", sigma}, {"n", samples}}}, {"results", results}},
               options.json);
}

}  // namespace

void add_theory_ratio(CLI::App& theory, std::ostream& out) {
  auto options = std::make_shared<RatioOptions>();
  CLI::App* command =
      theory.add_subcommand("ratio", "How much variance alpha*-TCAV saves against Multi-TCAV: r(s)");
  command->add_option("--runs", options->runs, "Numbers of runs, each >= 2")
      ->delimiter(',')
      ->capture_default_str();
  add_shown(*command, "--mu", options->model.mu, "Sensitivity under the population's CAV");
  add_shown(*command, "--sigma", options->model.sigma, "Noise of one example, > 0")
      ->check(CLI::PositiveNumber);
  add_shown(*command, "--n", options->model.samples, "Examples behind the CAV, the whole budget")
      ->check(CLI::PositiveNumber);
  add_json_option(*command, options->json);
  command->footer(
      "r(s) is the paper's approximation, which does not know mu; the exact ratio is by quadrature.\n"
      "Examples:\n  atcav theory ratio --runs 2,10,50\n  atcav theory ratio --runs 10 --mu 0.1 --n 1000");
  command->callback([options, &out] { answer_ratio(*options, out); });
}

}  // namespace atcav::cli
