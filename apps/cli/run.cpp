#include "atcav/run.h"

#include <fmt/format.h>

#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "comm/comm.h"
#include "data/file/reader.h"

namespace atcav::cli {
namespace {

struct RunCommand {
  std::string file;  // YAML
  TypedOptions options;
  Output output;
  bool print_config = false;
};

void run_run(const RunCommand& command) {
  Config config;
  if (!command.file.empty()) config = read_config(data::read_file(command.file));
  command.options.apply(config);
  if (command.print_config) {
    fmt::print("{}", write_config(config));
    return;
  }
  const bool leads = comm::rank() == 0;
  if (leads) check_output(command.output, config, {config.save_cavs});
  const RunResult result = atcav::run(config, progress_on_terminal(command.output.quiet || !leads));
  if (leads) write_output(command.output, result, config.save_cavs);
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* run = app.add_subcommand("run", "Test concepts in an ONNX network, from folders of examples");
  run->add_option("config", command->file, "YAML file with any of the options below; flags win over it")
      ->type_name("CONFIG");
  command->options.add(*run, "run");
  add_output_options(*run, command->output);
  command->output.command_line = quoted(arguments);
  run->add_flag("--print-config", command->print_config, "print the YAML that repeats this run, and stop")
      ->group(kRunningGroup);
  run->footer(
      "PATH is a folder of JPEG and PNG images, taken in name order, tar archives of them, or an array "
      "(.npy, "
      ".safetensors[:tensor])\n"
      "with the model's input shape. Several files: b.npy,a.npy or a pattern in quotes, 'shard-*.tar'.\n\n"
      "Examples:\n"
      "  atcav run --model resnet50.onnx --layer layer3 --class zebra:340=images/zebra \\\n"
      "        --concept striped=dtd/striped --concept dotted=dtd/dotted --random images/random -o out\n"
      "  atcav run --model m.onnx --layer layer2 --layer layer3 … --print-config > zebra.yaml\n"
      "  atcav run zebra.yaml --cav ridge --cache cache -o out\n"
      "  atcav run --model m.onnx --class horse:339=images/horse --cavs cavs.safetensors -o out");
  run->callback([command] { run_run(*command); });
}

}  // namespace atcav::cli
