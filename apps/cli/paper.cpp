#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "apps/demo/demo.h"
#include "apps/paper/experiments.h"
#include "apps/paper/paper_html.h"
#include "data/file/atomic_file.h"
#include "pipeline/collect.h"

namespace atcav::cli {
namespace {

struct PaperCommand {
  std::string output;
  std::vector<std::string> only;
  paper::PaperOptions options;
  TypedOptions network;
  bool quiet = false;
};

// The demo's own network and pictures, unless a model was given.
paper::RealModel open_model(PaperCommand& command) {
  Config config;
  command.network.apply(config);
  paper::RealModel model{.layers = {}, .cav = checked(config.options).cav, .toy = config.model.empty()};
  if (model.toy) config = demo::write(command.output + "/demo", command.options.seed);
  config.options.threads = command.options.threads;
  config.options.cav = model.cav;
  // Of the pass it decides that all rows are kept.
  if (paper::wants_rows(command.only) && stats::is_mean_difference(model.cav.method))
    config.options.cav.method = stats::CavMethod::kRidge;
  CollectedRun run = collect(config, command.options.progress);
  model.layers = std::move(run.layers);
  for (const auto& [stage, seconds] : run.about.seconds) {
    if (stage == "activations" && run.about.examples_run > 0)
      model.seconds_per_example = seconds / static_cast<double>(run.about.examples_run);
  }
  return model;
}

void write_files(const PaperCommand& command, const std::vector<paper::Section>& sections,
                 const paper::PaperSetup& setup) {
  const std::filesystem::path folder = command.output;
  std::vector<std::pair<std::string, std::string>> files = {
      {(folder / "paper.json").string(), paper::paper_json(sections, setup)},
      {(folder / "report.html").string(), paper::paper_html(sections, setup)}};
  for (const paper::Section& section : sections) {
    for (const paper::Figure& figure : section.figures) {
      files.emplace_back((folder / (figure.id + ".csv")).string(), paper::figure_csv(figure));
      if (std::filesystem::exists(files.back().first))
        check_replaceable(files.back().first, paper::kCsvHeader);
    }
  }
  data::write_files_atomically(files);
}

void print_claims(const std::vector<paper::Section>& sections) {
  const auto number = [](const char* name, const std::optional<double>& value) {
    return value ? fmt::format("  {} {:.3g}", name, *value) : "";
  };
  for (const paper::Section& section : sections) {
    fmt::print("\n{} ({:.1f} s)\n", section.title, section.seconds);
    for (const paper::Figure& figure : section.figures) {
      fmt::print("  {}\n", figure.title);
      for (const paper::Claim& claim : figure.claims) {
        fmt::print("    {:<17}{}{}{}{}{}\n", paper::verdict(claim), claim.text, number("paper", claim.paper),
                   number("here", claim.ours),
                   claim.deviation ? fmt::format("  deviation {:.2f} SE", *claim.deviation) : "",
                   claim.untested.empty() ? "" : "  (" + claim.untested + ")");
      }
    }
  }
}

void run_paper(PaperCommand& command, const std::vector<std::string>& arguments) {
  check_output({.json = "", .folder = command.output}, {});
  if (std::filesystem::exists(command.output))
    check_replaceable((std::filesystem::path(command.output) / "paper.json").string());
  command.options.progress = progress_on_terminal(command.quiet);
  const std::vector<paper::Section> sections =
      paper::run_experiments(command.only, command.options, [&] { return open_model(command); });
  command.options.progress = {};  // takes the bar off the screen
  write_files(command, sections, {quoted(arguments), command.options.repeats, command.options.seed});
  if (!command.quiet) print_claims(sections);
  const std::vector<std::string> failed = paper::failed_checks(sections);
  if (!failed.empty()) {
    throw std::runtime_error(
        fmt::format("[paper] {} checks fail, the first: {}", failed.size(), failed.front()));
  }
}

}  // namespace

void add_paper_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<PaperCommand>();
  CLI::App* paper =
      app.add_subcommand("paper", "Repeat the experiments of the α-TCAV paper and test its claims");
  paper
      ->add_option("-o,--out", command->output,
                   "folder for report.html, paper.json and a CSV file per figure")
      ->required()
      ->check(not_empty())
      ->type_name("DIR");
  paper->add_option("--only", command->only, "synthetic, real, or names of experiments, repeatable")
      ->type_name("NAME");
  add_shown(*paper, "--repeats", command->options.repeats,
            "of each experiment; simulations take multiples of it");
  paper->add_option("--seed", command->options.seed)->capture_default_str();
  add_shown(*paper, "--threads", command->options.threads, "0: all available; never changes a result");
  command->network.add(
      *paper, "run",
      {"model", "layer",   "class",  "concept",   "random", "preprocess", "resize",  "crop",    "scale",
       "mean",  "std",     "bgr",    "output",    "shape",  "pool",       "pooling", "cav",     "lambda",
       "cost",  "centred", "device", "precision", "batch",  "skip-bad",   "cache",   "cache-gb"});
  paper->add_flag("--quiet", command->quiet, "no progress bar and no list of claims");
  paper->footer(
      "Without --model the real experiments use the demo's network and pictures, written to DIR/demo.\n\n"
      "Examples:\n"
      "  atcav paper -o out\n"
      "  atcav paper -o out --only scores --only ratio --repeats 500\n"
      "  atcav paper -o out --only real --model m.onnx --layer a --layer b --class zebra:340=images/zebra "
      "\\\n"
      "        --concept striped=dtd/striped --random images/random --cache cache");
  paper->callback([command, arguments] { run_paper(*command, arguments); });
}

}  // namespace atcav::cli
