#include "atcav/experiment/score.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "atcav/io/atomic_file.h"
#include "atcav/report/html.h"
#include "atcav/report/json.h"
#include "atcav/report/table.h"
#include "command.h"
#include "common_options.h"
#include "progress.h"

namespace atcav::cli {
namespace {

struct ScoreCommand {
  std::vector<std::string> concepts;
  std::string random;
  std::vector<std::string> gradients;
  std::string layer;
  CommonOptions common;
  std::string command_line;
};

experiment::ScoreInputs inputs_of(const ScoreCommand& command) {
  experiment::ScoreInputs inputs;
  for (const std::string& text : command.concepts) {
    auto [name, path] = split_named("--concept", text);
    inputs.concepts.push_back({std::move(name), std::move(path)});
  }
  inputs.random = command.random;
  for (const std::string& text : command.gradients) {
    // One class needs no name; a path may hold a '=' of its own.
    if (text.find('=') == std::string::npos || std::filesystem::exists(text)) {
      inputs.gradients.push_back({command.gradients.size() == 1 ? "class" : text, text});
    } else {
      auto [name, path] = split_named("--gradients", text);
      inputs.gradients.push_back({std::move(name), std::move(path)});
    }
  }
  inputs.layer = command.layer;
  return inputs;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw std::runtime_error(fmt::format("[score] {}: {}", path, error.message()));
}

void run_score(const ScoreCommand& command) {
  const CommonOptions& common = command.common;
  // Found out before the work, not after it.
  if (!common.output.empty()) make_folder(common.output);
  const experiment::ScoreInputs inputs = inputs_of(command);
  experiment::Scored scored;
  {
    ProgressBar bar(common.quiet);
    scored = experiment::score(
        inputs, common.options,
        [&bar](const std::string& stage, Index done, Index total) { bar(stage, done, total); });
  }
  const std::string json = report::results_json("score", scored);
  if (common.json == "-") {
    fmt::print("{}", json);
  } else if (!common.json.empty()) {
    io::write_file_atomically(common.json, json);
  }
  if (!common.output.empty()) {
    io::write_file_atomically(common.output + "/results.json", json);
    io::write_file_atomically(common.output + "/timings.json", report::timings_json(scored));
    const report::Extras extras{.command_line = command.command_line};
    io::write_file_atomically(common.output + "/report.html", report::results_html("score", scored, extras));
  }
  if (common.quiet || common.json == "-") return;
  fmt::print("{}",
             report::results_table(scored.results, {common.options.level, colours_wanted(STDOUT_FILENO)}));
  if (!common.output.empty()) fmt::print("report: {}/report.html\n", common.output);
}

}  // namespace

void add_score_command(CLI::App& app, const std::string& command_line) {
  auto command = std::make_shared<ScoreCommand>();
  command->command_line = command_line;
  CLI::App* score = app.add_subcommand("score", "Score concepts from arrays of activations and gradients");
  score->add_option("--concept", command->concepts, "NAME=FILE: activations of concept examples, repeatable")
      ->required()
      ->type_name("NAME=FILE");
  score->add_option("--random", command->random, "activations of random examples")
      ->required()
      ->type_name("FILE");
  score
      ->add_option("--gradients", command->gradients,
                   "[CLASS=]FILE: gradients of the class's logit at the layer, one row an input, repeatable")
      ->required()
      ->type_name("[CLASS=]FILE");
  score->add_option("--layer", command->layer, "a name for the layer, for the report")->type_name("NAME");
  add_common_options(*score, command->common);
  score->footer(
      "FILE is .npy or .safetensors[:tensor]; rows are examples, further dimensions are columns.\n\n"
      "Examples:\n"
      "  atcav score --concept striped=striped.npy --random random.npy --gradients zebra=zebra.npy -o out\n"
      "  atcav score --concept a=acts.safetensors:a --concept b=acts.safetensors:b \\\n"
      "        --random acts.safetensors:random --gradients acts.safetensors:gradients --cav ridge --json -");
  score->callback([command] { run_score(*command); });
}

}  // namespace atcav::cli
