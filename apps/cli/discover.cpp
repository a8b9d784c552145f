#include "atcav/discover.h"

#include <memory>

#include "apps/cli/command.h"
#include "apps/cli/progress.h"
#include "pipeline/discover_options.h"
#include "report/discover.h"

namespace atcav::cli {
namespace {

struct DiscoverCommand {
  DiscoverConfig config;
  std::string finder = std::string(name(Finder::kKMeans));
  TypedOptions options;
  Output output;
};

void write_discovery(const Output& output, const Discovered& found) {
  Answer answer{.table = report::discover_table(found), .remarks = found.remarks};
  if (!output.folder.empty()) answer.files = discover_files(output.folder, found, output.command_line);
  answer.json = answer.files.empty() ? report::discover_json(found) : answer.files.front().second;
  write_answer(output, std::move(answer));
}

void run_discover(const DiscoverCommand& command) {
  DiscoverConfig config = command.config;
  config.finder = read_finder(command.finder);
  command.options.apply(config.run);
  check_output(command.output, config.run);
  write_discovery(command.output, discover(config, progress_on_terminal(command.output.quiet)));
}

}  // namespace

void add_discover_command(CLI::App& app, const std::vector<std::string>& arguments) {
  auto command = std::make_shared<DiscoverCommand>();
  CLI::App* discover = app.add_subcommand(
      "discover", "Find unnamed concepts in one half of the inputs, test them on the other");
  const char* group = "What to find";
  add_shown(*discover, "--concepts", command->config.candidates, "candidates of each class at each layer")
      ->group(group);
  add_shown(*discover, "--finder", command->finder, "kmeans, nmf or sae")->group(group);
  discover
      ->add_option("--dictionary", command->config.dictionary,
                   "directions instead of a finder: a decoder of a sparse autoencoder, or any matrix with a "
                   "direction per row")
      ->type_name("FILE[:TENSOR]")
      ->check(not_empty())
      ->group(group);
  add_shown(*discover, "--merge", command->config.merge, "candidates with a larger cosine are one")
      ->group(group);
  discover
      ->add_option("--positions", command->config.positions,
                   "kept of a set at a layer, drawn at random; without: 67 million numbers")
      ->type_name("N")
      ->group(group);
  command->options.add(*discover, "run", kOptionsOfDiscover);
  add_folder_options(*discover, command->output, "results.json, report.html and timings.json");
  add_quiet_option(*discover, command->output);
  command->output.command_line = quoted(arguments);
  discover->footer(
      "Half of each class's inputs (by --class-groups, where there are groups) give activations at single\n"
      "positions, which a finder puts into candidates. The other half tests each of them; named concepts "
      "only\n"
      "say what a candidate looks like. Random images are halved too.\n\n"
      "Example:\n"
      "  atcav discover --model resnet50.onnx --layer layer3 --class zebra:340=images/zebra \\\n"
      "        --random images/random --concept striped=dtd/striped -o out");
  discover->callback([command] { run_discover(*command); });
}

}  // namespace atcav::cli
