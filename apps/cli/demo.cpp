#include "apps/demo/demo.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/demo/finding.h"
#include "atcav/run/run.h"
#include "command.h"
#include "output.h"
#include "progress.h"
#include "thumbnails.h"

namespace atcav::cli {
namespace {

void print_findings(const std::vector<Result>& results) {
  const std::vector<DemoFinding> findings = demo_findings(results);
  Index agreeing = 0;
  std::string layer;
  fmt::print("\nWhat is true, because pictures and network were made for it, and what was found:\n");
  for (const DemoFinding& finding : findings) {
    if (finding.layer != layer) fmt::print("{}\n", layer = finding.layer);
    fmt::print("  {} {}\n", finding.agrees ? "=" : "x", finding.sentence);
    agreeing += finding.agrees ? 1 : 0;
  }
  fmt::print("{} of {} findings agree with the truth.\n", agreeing, findings.size());
}

void run_demo(CommonOptions common) {
  if (common.output.empty()) common.output = "atcav-demo";
  prepare_output(common);
  Config config = write_demo(common.output, common.options.seed);
  config.options.threads = common.options.threads;
  RunResult scored;
  {
    ProgressBar bar(common.quiet);
    scored = run(config, std::ref(bar));
  }
  common.command_line = fmt::format("atcav run {0}/demo.yaml -o {0}", common.output);
  write_output("demo", common, scored, make_thumbnails(scored));
  if (!common.quiet && common.json != "-") print_findings(scored.results);
}

}  // namespace

void add_demo_command(CLI::App& app, const std::vector<std::string>& /*arguments*/) {
  auto common = std::make_shared<CommonOptions>();
  CLI::App* demo = app.add_subcommand("demo", "Draw pictures, run a small network on them, say what it uses");
  demo->add_option("-o", common->output,
                   "folder for pictures, network, results and report (default atcav-demo)")
      ->type_name("DIR");
  demo->add_option("--json", common->json, "write results.json here too, - for standard output")
      ->type_name("FILE");
  demo->add_option("--seed", common->options.seed, "of pictures and statistics")->capture_default_str();
  demo->add_option("--threads", common->options.threads, "0: all available; changes no result")
      ->capture_default_str();
  demo->add_flag("-q,--quiet", common->quiet, "no table, no progress");
  demo->footer("Example:\n  atcav demo -o out && xdg-open out/report.html");
  demo->callback([common] { run_demo(*common); });
}

}  // namespace atcav::cli
