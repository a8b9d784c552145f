#include "atcav/run/score.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "output.h"
#include "progress.h"

namespace atcav::cli {
namespace {

struct ScoreCommand {
  std::vector<std::string> concepts;
  std::string random;
  std::vector<std::string> gradients;
  std::string layer;
  CommonOptions common;
};

ScoreInputs inputs_of(const ScoreCommand& command) {
  ScoreInputs inputs;
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

void run_score(const ScoreCommand& command) {
  prepare_output(command.common);
  const ScoreInputs inputs = inputs_of(command);
  RunResult scored;
  {
    ProgressBar bar(command.common.quiet);
    scored = score(inputs, command.common.options, std::ref(bar));
  }
  write_output("score", command.common, scored, {});
}

}  // namespace

void add_score_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<ScoreCommand>();
  command->common.command_line = quoted(arguments);
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
