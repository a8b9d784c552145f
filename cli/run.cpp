#include "atcav/experiment/run.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "command.h"
#include "command_line.h"
#include "common_options.h"
#include "output.h"
#include "progress.h"
#include "thumbnails.h"

namespace atcav::cli {
namespace {

struct RunCommand {
  std::string file;  // YAML
  std::vector<std::string> classes;
  std::vector<std::string> concepts;
  experiment::RunConfig config;
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
  experiment::RunConfig& config = command.config;
  app.add_option("config", command.file, "YAML file with any of the options below; flags win over it")
      ->type_name("CONFIG");
  auto* what = app.add_option_group("What to test");
  what->add_option("--model", config.model, "ONNX file")->type_name("FILE");
  what->add_option("--layer", config.layers,
                   "tensor, node or module path (atcav layers lists them), repeatable")
      ->type_name("NAME");
  what->add_option("--class", command.classes, "class inputs and the index of their logit, repeatable")
      ->type_name("NAME:INDEX=PATH");
  what->add_option("--concept", command.concepts, "concept examples, repeatable")->type_name("NAME=PATH");
  what->add_option("--random", config.random, "random examples")->type_name("PATH");
  what->add_option("--relative", config.relative, "one concept against another instead of random, repeatable")
      ->type_name("A:B");

  auto* network = app.add_option_group("Network and inputs");
  network->add_option("--preprocess", config.preprocess, "torchvision|caffe|tf|none")->capture_default_str();
  network->add_option("--resize", config.resize, "shorter side after resizing");
  network->add_option("--crop", config.crop, "side of the square cut from the centre");
  network->add_option("--scale", config.scale, "factor for pixels 0-255");
  network->add_option("--mean", config.mean, "subtracted per channel, e.g. 0.485,0.456,0.406")
      ->delimiter(',');
  network->add_option("--std", config.std, "divided by per channel")->delimiter(',');
  network->add_flag("--bgr", config.bgr, "channels as blue, green, red");
  network->add_option("--output", config.output_tensor,
                      "tensor with the logits (a final Softmax is skipped)");
  network
      ->add_option("--shape", config.shape, "of one example, where the model leaves it open, e.g. 3,224,224")
      ->delimiter(',');
  network->add_option("--pool", config.pool, "none, or mean over positions")->capture_default_str();
  network->add_option("--device", config.device, "cpu|cuda")->capture_default_str();
  network->add_option("--precision", config.precision, "fp32, on a GPU also tf32|bf16")
      ->capture_default_str();
  network->add_option("--batch", config.batch, "examples run at once")->capture_default_str();
  network->add_flag("--skip-bad", config.skip_bad, "leave unreadable images out instead of stopping");
  network
      ->add_option("--cache", config.cache,
                   "folder that keeps activations and gradients; interrupted runs resume")
      ->type_name("DIR");
  network->add_option("--cache-gb", config.cache_gb, "size limit of the cache")->capture_default_str();
  network->add_option("--save-cavs", config.save_cavs, "write the directions as safetensors")
      ->type_name("FILE");
  add_common_options(app, command.common);
  app.add_flag("--print-config", command.print_config, "print the YAML that repeats this run, and stop");
}

// What flags say wins over what the file says, so the file is read first and the flags are parsed again.
void read_file_below_flags(RunCommand& command, const std::vector<std::string>& arguments) {
  const std::string file = command.file;
  RunCommand merged;
  merged.config = experiment::read_config(read_text(file));
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
  experiment::RunConfig& config = command.config;
  config.options = command.common.options;
  if (!command.classes.empty()) config.classes.clear();
  for (const std::string& text : command.classes) config.classes.push_back(experiment::parse_class(text));
  if (!command.concepts.empty()) config.concepts.clear();
  for (const std::string& text : command.concepts) {
    config.concepts.push_back(experiment::parse_example_set("--concept", text));
  }
  if (command.print_config) {
    fmt::print("{}", experiment::write_config(config));
    return;
  }
  prepare_output(command.common);
  experiment::Scored scored;
  {
    ProgressBar bar(command.common.quiet);
    scored = experiment::run(config, std::ref(bar));
  }
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
      "  atcav run zebra.yaml --cav ridge --cache cache -o out");
  run->callback([command, arguments] { run_run(*command, arguments); });
}

}  // namespace atcav::cli
