#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "atcav/run.h"

namespace atcav::cli {

void add_score_command(CLI::App& app, const std::vector<std::string>& arguments) {
  struct Command {
    TypedOptions options;
    Output output;
  };
  auto command = std::make_shared<Command>();
  CLI::App* score = app.add_subcommand("score", "Score concepts from arrays of activations and gradients");
  command->options.add(*score, "score");
  add_output_options(*score, command->output);
  score->footer(
      "PATH and FILE are .npy or .safetensors[:tensor]; rows are examples, further dimensions are "
      "columns. Several files are read one after the other: b.npy,a.npy or a pattern in quotes, "
      "'acts-*.safetensors:layer3'.\n\n"
      "Examples:\n"
      "  atcav score --concept striped=striped.npy --random random.npy --gradients zebra=zebra.npy -o out\n"
      "  atcav score --concept a=acts.safetensors:a --concept b=acts.safetensors:b \\\n"
      "        --random acts.safetensors:random --gradients acts.safetensors:gradients --cav ridge --json -");
  score->callback([command, arguments] {
    Config config;
    command->options.apply(config);
    command->output.command_line = quoted(arguments);
    check_output(command->output, config, {config.save_cavs});
    const RunResult result = atcav::score(config, progress_on_terminal(command->output.quiet));
    write_output(command->output, result, config.save_cavs);
  });
}

}  // namespace atcav::cli
