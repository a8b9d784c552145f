#include "atcav/run/run_given.h"

#include <fmt/format.h>

#include "atcav/base/check.h"
#include "atcav/comm/comm.h"
#include "atcav/run/directions.h"
#include "atcav/run/stopwatch.h"
#include "atcav/io/sha256.h"
#include "atcav/run/class_inputs.h"
#include "atcav/run/describe.h"
#include "atcav/span/directions.h"

namespace atcav {
namespace {

void check_config(const Config& config) {
  if (config.model.empty()) fail_argument("cavs", "no model was given");
  const auto refuse = [](bool given, const char* option) {
    if (given)
      fail_argument(
          "cavs",
          fmt::format("--{} cannot be given beside --cavs: the directions are there already", option));
  };
  refuse(!config.concepts.empty(), "concept");
  refuse(!config.random.empty(), "random");
  refuse(!config.relative.empty(), "relative");
  refuse(!config.save_cavs.empty(), "save-cavs");
  check_classes(config);
}

Config with_layers(Config config, const Directions& directions) {
  config.layers.clear();
  for (const LayerDirections& layer : directions.layers) config.layers.push_back(layer.layer);
  return config;
}

std::vector<std::string> notes_on(const Directions& directions, const std::string& model_hash) {
  std::vector<std::string> notes = {
      "directions were given: intervals hold the error from having drawn these inputs alone; the noise of a "
      "CAV, Multi-TCAV, accuracy and p-values need its examples (a run with --concept, --random and "
      "--cache)"};
  if (!directions.model_sha256.empty() && directions.model_sha256 != model_hash) {
    notes.push_back(
        fmt::format("the directions in {} were found in another model (SHA-256 {:.12}…, this one "
                    "has {:.12}…): they may mean nothing here",
                    directions.file, directions.model_sha256, model_hash));
  }
  return notes;
}

}  // namespace

RunResult run_given(const Config& config, const Progress& progress) {
  check_config(config);
  Stopwatch watch;
  const Options options = checked_for_given(config.options);
  const Directions directions = read_directions(config.cavs, config.layers);
  Probe probe(with_layers(config, directions));
  for (std::size_t layer = 0; layer < directions.layers.size(); ++layer)
    check_columns(directions, directions.layers[layer], probe.columns(layer));
  std::vector<ExampleFiles> classes = open_classes(config, probe);
  const double opening = watch.lap();

  BlockTurns turns(directions.layers.size());
  const std::vector<MatrixF> gradients = class_gradients(config, probe, classes, turns, progress);
  if (comm::rank() != 0) return {};
  const double probing = watch.lap();

  RunResult scored = describe_run(config, probe, {}, classes);
  scored.options = options;
  scored.inputs.push_back({"cavs", config.cavs, io::sha256_file(config.cavs), {}});
  const std::vector<std::string> notes = notes_on(directions, probe.model_hash());
  scored.notes.insert(scored.notes.begin(), notes.begin(), notes.end());
  std::vector<GivenClass> of_classes;
  for (std::size_t k = 0; k < classes.size(); ++k)
    of_classes.push_back({config.classes[k].name, classes[k].rows()});
  for (std::size_t layer = 0; layer < directions.layers.size(); ++layer) {
    const LayerDirections& own = directions.layers[layer];
    const std::vector<GivenScore> found =
        score_given(own, gradients[layer], of_classes, options);
    scored.given.insert(scored.given.end(), found.begin(), found.end());
    scored.entanglement.push_back({own.layer, own.concepts, span::cosines_between(own.rows)});
  }
  scored.seconds = {{"open", opening}, {"gradients", probing}, {"analyse", watch.lap()}};
  return scored;
}

}  // namespace atcav
