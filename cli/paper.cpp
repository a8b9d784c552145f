#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "atcav/experiment/paper/experiments.h"
#include "atcav/io/atomic_file.h"
#include "atcav/report/paper_html.h"
#include "command.h"
#include "command_line.h"
#include "output.h"
#include "progress.h"

namespace atcav::cli {
namespace {

struct PaperCommand {
  std::string output;
  std::vector<std::string> only;
  paper::PaperOptions options;
  bool quiet = false;
};

std::vector<std::string> chosen(const std::vector<std::string>& only) {
  const auto asked = [&](const std::string& name) {
    return std::find(only.begin(), only.end(), name) != only.end();
  };
  std::vector<std::string> names;
  for (const paper::Experiment& experiment : paper::synthetic_experiments()) {
    if (only.empty() || asked("synthetic") || asked(experiment.name)) names.push_back(experiment.name);
  }
  return names;
}

void write_files(const PaperCommand& command, const std::vector<paper::Section>& sections,
                 const report::PaperSetup& setup) {
  const std::filesystem::path folder = command.output;
  io::write_file_atomically((folder / "paper.json").string(), report::paper_json(sections, setup));
  for (const paper::Section& section : sections) {
    for (const paper::Figure& figure : section.figures) {
      io::write_file_atomically((folder / (figure.id + ".csv")).string(), report::figure_csv(figure));
    }
  }
  io::write_file_atomically((folder / "report.html").string(), report::paper_html(sections, setup));
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
        fmt::print(
            "    {:<14}{}{}{}{}\n",
            claim.check ? (claim.holds ? "agrees" : "FAILS") : (claim.holds ? "holds" : "does not hold"),
            claim.text, number("paper", claim.paper), number("here", claim.ours),
            claim.deviation ? fmt::format("  deviation {:.2f} SE", *claim.deviation) : "");
      }
    }
  }
}

void run_paper(PaperCommand& command, const std::vector<std::string>& arguments) {
  CommonOptions files;
  files.output = command.output;
  prepare_output(files);
  std::vector<paper::Section> sections;
  {
    ProgressBar bar(command.quiet);
    command.options.progress = std::ref(bar);
    sections = paper::run_experiments(chosen(command.only), command.options);
  }
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
  CLI::App* paper = app.add_subcommand("paper", "Regenerate every figure and table of the α-TCAV paper");
  paper
      ->add_option("-o,--out", command->output,
                   "folder for report.html, paper.json and a CSV file per figure")
      ->required()
      ->type_name("DIR");
  paper->add_option("--only", command->only, "synthetic, real, or names of experiments, repeatable")
      ->type_name("NAME");
  paper
      ->add_option("--repeats", command->options.repeats,
                   "of each experiment; simulations take multiples of it")
      ->capture_default_str();
  paper->add_option("--seed", command->options.seed)->capture_default_str();
  paper->add_option("--threads", command->options.threads, "0: all available; never changes a result")
      ->capture_default_str();
  paper->add_flag("--quiet", command->quiet, "no progress bar and no list of claims");
  paper->callback([command, arguments] { run_paper(*command, arguments); });
}

}  // namespace atcav::cli
