#include "apps/demo/demo.h"

#include <fmt/format.h>

#include <functional>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "apps/demo/finding.h"
#include "atcav/run/run.h"

namespace atcav::cli {
namespace {

void print_findings(const std::vector<Result>& results) {
  const std::vector<demo::Finding> findings = demo::findings(results);
  Index agreeing = 0;
  std::string layer;
  fmt::print("\nWhat is true, because pictures and network were made for it, and what was found:\n");
  for (const demo::Finding& finding : findings) {
    if (finding.layer != layer) fmt::print("{}\n", layer = finding.layer);
    fmt::print("  {} {}\n", finding.agrees ? "=" : "x", finding.sentence);
    agreeing += finding.agrees ? 1 : 0;
  }
  fmt::print("{} of {} findings agree with the truth.\n", agreeing, findings.size());
}

}  // namespace

void add_demo_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  struct Command {
    TypedOptions options;
    Output output{.json = "", .folder = "atcav-demo"};
  };
  auto command = std::make_shared<Command>();
  CLI::App* demo = app.add_subcommand("demo", "Draw pictures, run a small network on them, say what it uses");
  command->options.add(*demo, "run", {"seed", "threads"});
  add_output_options(*demo, command->output);
  demo->get_option("-o")
      ->description("folder for pictures, network, results and report")
      ->capture_default_str();
  demo->footer("Example:\n  atcav demo -o out && xdg-open out/report.html");
  demo->callback([command] {
    Output& output = command->output;
    Config asked;
    command->options.apply(asked);
    check_output(output, asked);
    Config config = demo::write(output.folder, asked.options.seed);
    config.options.threads = asked.options.threads;
    RunResult result;
    {
      ProgressBar bar(output.quiet);
      result = atcav::run(config, std::ref(bar));
    }
    result.command = "demo";
    output.command_line = fmt::format("atcav run {0}/demo.yaml -o {0}", output.folder);
    write_output(output, result);
    if (!output.quiet && output.json != "-") print_findings(result.results);
  });
}

}  // namespace atcav::cli
