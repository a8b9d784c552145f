#include "apps/demo/demo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "apps/demo/finding.h"
#include "atcav/run.h"
#include "report/escape.h"
#include "report/text_table.h"

namespace atcav::cli {
namespace {

const char* words(int sign) {
  return sign > 0 ? "speaks for" : sign < 0 ? "speaks against" : "does not matter";
}

std::string shown_d(const stats::Effect& effect, bool interval) {
  if (!effect.d) return "undefined";
  std::string found = fmt::format("{:+.2f}", *effect.d);
  if (interval) found += fmt::format(" [{:+.2f}, {:+.2f}]", effect.d_interval.low, effect.d_interval.high);
  return found;
}

// Of the pool's labels the one that only goes with another, for the first class: alone and with that fixed.
void add_reddish(std::vector<std::vector<std::string>>& rows, const std::vector<Result>& results,
                 const std::vector<demo::Finding>& findings, bool intervals) {
  std::vector<std::string> alone;
  std::vector<std::string> jointly;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i];
    if (!result.label || result.concept_name != "reddish" || result.class_name != results.front().class_name)
      continue;
    if (alone.empty()) {
      alone = {"reddish", result.class_name + ", alone", "goes with stripes"};
      jointly = {"reddish", result.class_name + ", jointly", words(findings[i].truth.sign)};
    }
    alone.push_back(shown_d(result.effect, intervals));
    jointly.push_back(shown_d(result.joint->effect, intervals) + (findings[i].agrees ? "" : " x"));
  }
  if (!alone.empty()) rows.insert(rows.end(), {alone, jointly});
}

// A row per concept and class, a column per layer: results come layer after layer, in the same order.
std::vector<std::vector<std::string>> truth_table(const std::vector<Result>& results,
                                                  const std::vector<demo::Finding>& findings,
                                                  bool intervals) {
  std::vector<std::vector<std::string>> rows = {{"concept", "class", "true"}};
  std::string layer;
  std::size_t row = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i];
    if (result.label) continue;
    if (result.layer != layer) {
      rows[0].push_back(layer = result.layer);
      row = 0;
    }
    if (rows.size() == ++row)
      rows.push_back({result.concept_name, result.class_name, words(findings[i].truth.sign)});
    rows[row].push_back(shown_d(result.effect, intervals) + (findings[i].agrees ? "" : " x"));
  }
  add_reddish(rows, results, findings, intervals);
  return rows;
}

// At most 20 lines, whatever the warnings: the report has them.
void print_findings(const std::vector<Result>& results) {
  const std::vector<demo::Finding> findings = demo::findings(results);
  std::vector<std::string> lines = report::aligned(truth_table(results, findings, true));
  const std::size_t columns = std::max<std::size_t>(terminal_width(STDOUT_FILENO), 40);
  const bool wide = report::width(lines[1]) <= columns;
  if (!wide) lines = report::aligned(truth_table(results, findings, false));
  const auto say = [&](const std::string& sentence) {
    for (const std::string& line : report::wrapped(sentence, columns)) fmt::print("{}\n", line);
  };
  say(fmt::format("True, because pictures and network were made so, and the effect d found at each layer{}:",
                  wide ? " [95 %]" : ""));
  const auto tone = [](std::size_t row) { return row == 0 ? report::Tone::kHead : report::Tone::kPlain; };
  for (std::size_t i = 0; i < lines.size(); ++i)
    fmt::print("{}\n", report::painted(lines[i], tone(i), colours_wanted(STDOUT_FILENO)));
  const auto agreeing = std::ranges::count(findings, true, &demo::Finding::agrees);
  say(
      fmt::format("{} of {} findings agree with the truth, verdicts included (one matters when significant "
                  "and |d| is {} or more).",
                  agreeing, findings.size(), stats::kModerateEffect));
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
    RunResult result = atcav::run(config, progress_on_terminal(output.quiet));
    result.command = "demo";
    demo::add_truths(result.results);
    output.command_line = fmt::format("atcav run {0}/demo.yaml -o {0}", output.folder);
    write_files(output, result);
    if (output.quiet || output.json == "-") return;
    print_findings(result.results);
    if (!output.figures.empty()) fmt::print("figures: {}\n", report::printable(output.figures));
    fmt::print("report: {}/report.html\n", report::printable(output.folder));
  });
}

}  // namespace atcav::cli
