#include "atcav/repair.h"

#include <fmt/format.h>

#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "model/erase_onnx.h"
#include "pipeline/option_table.h"
#include "report/escape.h"
#include "report/repair.h"

namespace atcav::cli {
namespace {

struct RepairCommand {
  std::string model;
  std::string file;
  std::vector<std::string> checks;
  TypedOptions options;
  Output output;  // its folder is --report's
};

// Of those that `atcav run` has.
const std::vector<std::string> kShared = {
    "layer", "concept", "random", "cav",      "lambda",  "cost",      "level",   "preprocess", "resize",
    "crop",  "scale",   "mean",   "std",      "bgr",     "output",    "shape",   "pooling",    "device",
    "batch", "memory",  "cache",  "cache-gb", "threads", "precision", "skip-bad"};

void write(const RepairCommand& command, Repaired repaired) {
  const Output& output = command.output;
  Answer answer{.json = report::repair_json(repaired),
                .table = fmt::format("{}repaired: {}\n", report::repair_table(repaired),
                                     report::printable(command.file)),
                .remarks = repaired.remarks};
  answer.files = folder_files(output, answer.json, report::repair_html(repaired, output.command_line));
  answer.files.emplace(answer.files.begin(), command.file, std::move(repaired.file));
  write_answer(output, std::move(answer));
}

void run_repair(const RepairCommand& command) {
  Config config;
  command.options.apply(config);
  config.model = command.model;
  if (!command.checks.empty()) find_option("class").set(config, command.checks);
  check_output(command.output, config, {command.file});
  // As it stands in the file's metadata: a text that speaks of `atcav repair` is not ours.
  check_replaceable(command.file, std::string("\n\f") + model::kRepairMark);
  write(command, repair(config, command.file, progress_on_terminal(command.output.quiet)));
}

}  // namespace

void add_repair_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<RepairCommand>();
  CLI::App* repair = app.add_subcommand("repair", "Take concepts out of an ONNX network, into a new file");
  repair->add_option("model", command->model, "ONNX file")->required();
  command->options.add(*repair, "run", kShared);
  repair
      ->add_option("--check", command->checks,
                   "inputs of a class that show what the repair does: the share that the network calls by "
                   "its name, before and after, repeatable")
      ->type_name("NAME:INDEX=PATH")
      ->expected(1)
      ->take_all()
      ->group("What to test");
  repair->add_option("-o", command->file, "the repaired file")
      ->type_name("FILE")
      ->required()
      ->check(not_empty())
      ->group(kRunningGroup);
  add_folder_options(*repair, command->output, "results.json and report.html", "--report");
  add_quiet_option(*repair, command->output);
  command->output.command_line = quoted(arguments);
  repair->footer(
      "Behind the layer's tensor a few standard nodes take from each input what it has of the concepts' "
      "directions;\n"
      "everything else in the file stays as it is, and it runs in ONNX Runtime. --cav is what reads the "
      "concept:\n"
      "pattern the direction itself, ridge with a small lambda LEACE's.\n\n"
      "Examples:\n"
      "  atcav repair m.onnx --layer layer3 --concept watermark=images/watermark --random images/random \\\n"
      "        -o fixed.onnx\n"
      "  atcav repair m.onnx --layer layer3 --pooling mean --concept watermark=images/watermark \\\n"
      "        --random images/random --check truck:1=images/truck_clean --check other:0=images/other \\\n"
      "        -o fixed.onnx --report out");
  repair->callback([command] { run_repair(*command); });
}

}  // namespace atcav::cli
