#include "report/compare.h"

#include <filesystem>
#include <memory>

#include "apps/cli/command.h"
#include "atcav/influences.h"
#include "atcav/report.h"

namespace atcav::cli {
namespace {

namespace fs = std::filesystem;

struct CompareCommand {
  std::string first;
  std::string second;
  Output output;
  bool fail_on_change = false;
};

void run_compare(const CompareCommand& command) {
  const Output& output = command.output;
  check_output(output, {});
  const Comparison found =
      compare(read_report(command.first), read_report(command.second), command.first, command.second);
  const std::string json = report::comparison_json(found);
  write_answer(output,
               {.json = json,
                .table = report::comparison_table(found),
                .files = folder_files(output, json, report::comparison_html(found, output.command_line))});
  if (command.fail_on_change && found.changed() > 0) throw Changed();
}

struct ReanalyseCommand {
  std::string folder;
  TypedOptions options;
  Output output;
};

void run_reanalyse(const ReanalyseCommand& command) {
  const RunResult run = read_report(command.folder);
  Config choices;
  choices.options = run.options;
  command.options.apply(choices);
  if (!command.output.folder.empty() && fs::exists(command.output.folder) &&
      fs::equivalent(command.folder, command.output.folder))
    throw std::invalid_argument("[output] " + command.output.folder +
                                " holds the run, choose another folder");
  check_output(command.output, choices);
  write_output(command.output, reanalyse(run, regrouping(run, choices)));
}

}  // namespace

void add_compare_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<CompareCommand>();
  CLI::App* compare =
      app.add_subcommand("compare", "Compare two runs on the same examples, effect by effect");
  compare->add_option("first", command->first, "folder of a run made with --influences")->required();
  compare->add_option("second", command->second, "another one")->required();
  compare
      ->add_flag("--fail-on-change", command->fail_on_change,
                 "exit code 1 where an effect differs after correction or a verdict changed")
      ->group(kRunningGroup);
  add_folder_options(*compare, command->output);
  add_quiet_option(*compare, command->output, "no table");
  command->output.command_line = quoted(arguments);
  compare->footer(
      "Two checkpoints, two layers, two ways of preprocessing: rows are matched by the hashes of their "
      "content.\n\n"
      "Example:\n"
      "  atcav run before.yaml --influences -o before && atcav run after.yaml --influences -o after\n"
      "  atcav compare before after -o difference --fail-on-change");
  compare->callback([command] { run_compare(*command); });
}

void add_reanalyse_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<ReanalyseCommand>();
  CLI::App* again =
      app.add_subcommand("reanalyse", "Effects and tests of a run with other groups, without its network");
  again->add_option("folder", command->folder, "folder of a run made with --influences")->required();
  command->options.add(
      *again, "run",
      {"group-column", "group-by", "class-groups", "labels", "level", "negligible", "threads"});
  add_output_options(*again, command->output);
  command->output.command_line = quoted(arguments);
  again->footer(
      "Scores, accuracy and what the network did stay as the run left them.\n\n"
      "Examples:\n"
      "  atcav reanalyse out --group-by '^(.*)_crop' -o grouped\n"
      "  atcav reanalyse out --group-column patient --negligible 0.1 -o grouped");
  again->callback([command] { run_reanalyse(*command); });
}

}  // namespace atcav::cli
