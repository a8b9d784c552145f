#include "common_options.h"

#include <fmt/format.h>

#include <functional>

#include "atcav/base/check.h"

namespace atcav::cli {
namespace {

// An option whose words are parsed by the library and whose default is printed as a word.
void add_word(CLI::App& command, const std::string& name, std::string_view fallback, const std::string& help,
              const std::function<void(const std::string&)>& parse) {
  command.add_option_function<std::string>(name, parse, help)
      ->default_str(std::string(fallback))
      ->type_name("WORD");
}

}  // namespace

void add_common_options(CLI::App& command, CommonOptions& common) {
  Options& options = common.options;
  const std::string statistics = "Statistics";
  auto* group = command.add_option_group(statistics);
  add_word(*group, "--cav", stats::name(options.cav.method),
           "how to find the direction: pattern|fast|ridge|logistic|svm",
           [&options](const std::string& text) { options.cav.method = stats::parse_cav_method(text); });
  group->add_option("--lambda", options.cav.lambda, "penalty of ridge")->capture_default_str();
  group->add_option("--cost", options.cav.cost, "C of logistic and svm")->capture_default_str();
  group->add_flag("--centred", options.cav.centred, "ridge with means subtracted first");
  group
      ->add_option("--alpha", options.alpha,
                   "star|dagger|NUMBER, repeatable; the first is the headline score (default dagger)")
      ->type_name("ALPHA");
  add_word(*group, "--sigma", name(options.sigma),
           "noise behind star and dagger: effective (paper)|analytic",
           [&options](const std::string& text) { options.sigma = parse_sigma(text); });
  group->add_option("--runs", options.runs, "runs of Multi-TCAV")->capture_default_str();
  add_word(*group, "--split", name(options.split), "what the runs split: random|both",
           [&options](const std::string& text) { options.split = parse_split(text); });
  add_word(*group, "--interval", name(options.interval),
           "interval of smooth scores: delta|bootstrap",
           [&options](const std::string& text) { options.interval = parse_interval(text); });
  group->add_option("--bootstrap", options.bootstrap, "resamples (0: 1000, or 200 where each is a fit)")
      ->capture_default_str();
  group
      ->add_option("--permutations", options.permutations,
                   "relabellings (0: 999, or 199 for logistic and svm)")
      ->capture_default_str();
  group->add_option("--level", options.level, "of intervals")->capture_default_str();
  group->add_option("--seed", options.seed, "of everything random")->capture_default_str();
  group->add_flag("--moments", options.moments_only,
                  "pattern and fast with memory that does not grow with the rows");

  auto* running = command.add_option_group("Running and output");
  running->add_option("--threads", options.threads, "0: all available; changes no result")
      ->capture_default_str();
  running->add_option("--json", common.json, "write results.json here, - for standard output")
      ->type_name("FILE");
  running->add_option("-o", common.output, "folder for results.json, report.html and timings.json")
      ->type_name("DIR");
  running->add_flag("-q,--quiet", common.quiet, "no table, no progress");
}

std::pair<std::string, std::string> split_named(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    fail_argument(option, fmt::format("'{}' must be NAME=FILE", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace atcav::cli
