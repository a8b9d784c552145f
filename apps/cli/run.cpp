#include "atcav/run/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "atcav/comm/comm.h"
#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "network_options.h"
#include "output.h"
#include "progress.h"
#include "thumbnails.h"

namespace atcav::cli {
namespace {

struct RunCommand {
  std::string file;  // YAML
  NamedSets sets;
  Config config;
  CommonOptions common;
  bool print_config = false;
};

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(fmt::format("[run] {}: cannot be read", path));
  return text.str();
}

void add_run_options(CLI::App& app, RunCommand& command) {
  Config& config = command.config;
  app.add_option("config", command.file, "YAML file with any of the options below; flags win over it")
      ->type_name("CONFIG");
  add_network_options(app, config, command.sets);
  app.add_option("--relative", config.relative, "one concept against another instead of random, repeatable")
      ->type_name("A:B");
  app.add_option("--save-cavs", config.save_cavs, "write the directions as safetensors")->type_name("FILE");
  app.add_option("--cavs", config.cavs,
                 "score these directions (tensors LAYER/CONCEPT) instead of --concept and --random")
      ->type_name("FILE");
  add_common_options(app, command.common);
  app.add_flag("--print-config", command.print_config, "print the YAML that repeats this run, and stop");
}

// What flags say wins over what the file says, so the file is read first and the flags are parsed again.
void read_file_below_flags(RunCommand& command, const std::vector<std::string>& arguments) {
  const std::string file = command.file;
  RunCommand merged;
  merged.config = read_config(read_text(file));
  merged.common.options = merged.config.options;
  CLI::App again;
  add_run_options(again, merged);
  // CLI11 takes them last to first; the first is the subcommand's own name.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
  again.parse(reversed);
  command = std::move(merged);
}

void run_run(RunCommand& command, const std::vector<std::string>& arguments) {
  if (!command.file.empty()) read_file_below_flags(command, arguments);
  Config& config = command.config;
  config.options = command.common.options;
  apply_named_sets(command.sets, config);
  if (command.print_config) {
    fmt::print("{}", write_config(config));
    return;
  }
  if (comm::rank() == 0) prepare_output(command.common, {config.save_cavs});
  RunResult scored;
  {
    ProgressBar bar(command.common.quiet || comm::rank() != 0);
    scored = run(config, std::ref(bar));
  }
  if (comm::rank() != 0) return;
  command.common.command_line = quoted(arguments);
  write_output("run", command.common, scored, make_thumbnails(scored));
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<RunCommand>();
  CLI::App* run = app.add_subcommand("run", "Test concepts in an ONNX network, from folders of examples");
  add_run_options(*run, *command);
  run->footer(
      "PATH is a folder of JPEG and PNG images, taken in name order, or an array (.npy, "
      ".safetensors[:tensor])\n"
      "with the model's input shape.\n\n"
      "Examples:\n"
      "  atcav run --model resnet50.onnx --layer layer3 --class zebra:340=images/zebra \\\n"
      "        --concept striped=dtd/striped --concept dotted=dtd/dotted --random images/random -o out\n"
      "  atcav run --model m.onnx --layer layer2 --layer layer3 … --print-config > zebra.yaml\n"
      "  atcav run zebra.yaml --cav ridge --cache cache -o out\n"
      "  atcav run --model m.onnx --class horse:339=images/horse --cavs cavs.safetensors -o out");
  run->callback([command, arguments] { run_run(*command, arguments); });
}

}  // namespace atcav::cli
