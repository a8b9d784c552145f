#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "atcav/random.h"
#include "atcav/report.h"
#include "pass/source.h"
#include "pipeline/analyse.h"
#include "pipeline/extremes.h"
#include "report/html.h"

// example_report FOLDER: results.json and report.html of simulated data with everything a report can show, in
// FOLDER/given those of given directions, in FOLDER/texts those of texts, in FOLDER/many those of more than a
// page shows closely; for the browser test and for looking at them. Four concepts, two classes, three layers:
//   striped   more and more along the layers; zebra uses it
//   dotted    encoded; speaks against zebra and for dalmatian
//   red       encoded; used a little
//   noise     not encoded, not used; its name tries to leave the page
namespace {

using atcav::Index;
using atcav::MatrixF;
using namespace atcav;  // NOLINT(google-build-using-namespace)

constexpr Index kColumns = 128;
constexpr Index kInputs = 60;
const std::array<std::string, 4> kConcepts = {"striped", "dotted", "red",
                                              "</script><b>noise</b><!-- & \"quoted\""};

MatrixF rows(atcav::Stream& stream, Index count, Index column, double shift) {
  MatrixF values = stream.normal_matrix(count, kColumns).cast<float>();
  values.col(column).array() += static_cast<float>(shift);
  return values;
}

LayerData simulate_layer(const std::string& layer, double strength, const Options& options) {
  atcav::Stream stream(17);
  const std::array<double, 4> shift = {0.5 + 2 * strength, 1.5, 2, 0};
  std::vector<atcav::pass::MatrixSource> sources;
  sources.reserve(1 + kConcepts.size());
  sources.emplace_back("random", rows(stream, 400, 0, 0));
  for (std::size_t c = 0; c < kConcepts.size(); ++c)
    sources.emplace_back(kConcepts[c], rows(stream, c == 2 ? 40 : 80, static_cast<Index>(c), shift[c]));
  std::vector<atcav::pass::RowSource*> pointers;
  pointers.reserve(sources.size());
  for (auto& source : sources) pointers.push_back(&source);

  MatrixF gradients = 0.4F * stream.normal_matrix(2 * kInputs, kColumns).cast<float>();
  gradients.topRows(kInputs).col(0).array() += static_cast<float>(strength);
  gradients.topRows(kInputs).col(1).array() -= 0.8F;
  gradients.bottomRows(kInputs).col(1).array() += 0.6F;
  gradients.col(2).array() += 0.07F;
  LayerData data;
  data.names = {
      layer, {kConcepts.begin(), kConcepts.end()}, {{"zebra", kInputs}, {"dalmatian", kInputs}}, {}};
  data.pass = atcav::pass::run_pass(gradients, pointers, pass_options(options, 40));
  data.gradients = std::move(gradients);
  return data;
}

// The same concepts as directions that are given: unit vectors.
LayerData give_directions(const std::string& layer, float strength) {
  atcav::Stream stream(18);
  MatrixF gradients = 0.4F * stream.normal_matrix(2 * kInputs, kColumns).cast<float>();
  gradients.topRows(kInputs).col(0).array() += strength;
  gradients.topRows(kInputs).col(1).array() -= 0.8F;
  LayerData data;
  data.names = {
      layer, {kConcepts.begin(), kConcepts.end()}, {{"zebra", kInputs}, {"dalmatian", kInputs}}, {}};
  data.gradients = std::move(gradients);
  data.directions = atcav::Matrix::Identity(4, kColumns);
  return data;
}

atcav::report::Thumbnail picture(const std::string& name, Index i) {
  const std::string hue = std::to_string(i * 360 / kInputs);
  return {
      name + "_" + std::to_string(i) + ".jpg",
      "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Crect width='8' "
      "height='8' fill='hsl(" +
          hue +
          " 30%25 70%25)'/%3E%3Cpath d='M1 0v8M4 0v8M7 0v8' "
          "stroke='hsl(" +
          hue + " 30%25 30%25)'/%3E%3C/svg%3E"};
}

// Made up: 4 × 4 cells that add up to the sensitivity, all of it in the cell whose number is that of the
// input; activations lie in the cell behind it. As tokens they stand in a row.
void add_maps(RunResult& result, bool tokens) {
  constexpr Index kCells = 16;
  for (Result& one : result.results) {
    PositionMaps maps{tokens ? 1 : 4, tokens ? kCells : 4, 1, tokens, {}};
    const Extremes ends = extremes_of(one.sensitivities);
    for (const auto* list : {&ends.most, &ends.least}) {
      for (const Index input : *list) {
        const auto place = static_cast<std::size_t>(input);
        PositionMap map{input, std::vector<double>(kCells), std::vector<double>(kCells)};
        map.sensitivity[place % kCells] = one.sensitivities[place];
        map.activation[(place + 1) % kCells] = -1;
        maps.inputs.push_back(std::move(map));
      }
    }
    one.maps = std::move(maps);
  }
}

void write(const std::string& folder, const RunResult& result, const atcav::report::Extras& extras) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/results.json") << atcav::report::results_json(result);
  std::ofstream(folder + "/report.html") << atcav::report::results_html(result, extras);
}

// 100 concepts × 20 layers × 10 classes: the results that there are under other names, with effects of many
// sizes.
void write_many(const std::string& folder, RunResult run) {
  const std::vector<Result> some = std::move(run.results);
  run.results.clear();
  run.entanglement.clear();
  for (int i = 0; i < 20000; ++i) {
    Result one = some[static_cast<std::size_t>(i) % some.size()];
    const double factor = 0.2 + (i * 7919 % 1000) / 1000.0;
    one.effect.d = one.effect.d.value() * factor;
    one.effect.d_interval = {one.effect.d_interval.low * factor, one.effect.d_interval.high * factor};
    one.concept_name = "concept " + std::to_string(i % 100);
    one.class_name = "class " + std::to_string(i / 100 % 10);
    one.layer = "layer" + std::to_string(i / 1000);
    run.results.push_back(std::move(one));
  }
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/report.html") << atcav::report::results_html(run, {});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  atcav::report::Extras extras;
  extras.command_line = "atcav run --model resnet50.onnx --layer layer1 --layer layer2 --layer layer3 -o out";
  for (const char* name : {"zebra", "dalmatian"}) {
    for (Index i = 0; i < kInputs; ++i) extras.thumbnails[name].push_back(picture(name, i));
  }
  for (std::size_t c = 0; c < 3; ++c) {
    for (Index i = 0; i < 80; ++i) extras.examples[kConcepts[c]].push_back(picture(kConcepts[c], i));
  }
  for (Index i = 0; i < 6; ++i) extras.random.push_back(picture("random", i));
  RunInfo about;
  about.command = "run";
  about.options = checked({});
  about.inputs = {
      {Role::Kind::kRandom, "images/random", std::string(64, 'a'), {400, 3, 224, 224}},
      {{Role::Kind::kConcept, "striped"}, "images/striped", std::string(64, 'b'), {80, 3, 224, 224}}};
  const std::array layers = {simulate_layer("layer1", 0.02, about.options),
                             simulate_layer("layer2", 0.3, about.options),
                             simulate_layer("layer3", 1, about.options)};
  RunResult found = analyse(layers, about);
  found.entanglement.back().cosines(0, 1) = found.entanglement.back().cosines(1, 0) = 0.7;  // made up, too
  add_maps(found, false);
  write(folder, found, extras);

  about.inputs = {{Role::Kind::kCavs, "cavs.safetensors", std::string(64, 'a'), {}}};
  const std::array given = {give_directions("layer2", 0.1F), give_directions("layer3", 1)};
  RunResult along = analyse(given, about);
  write(folder + "/given", along, extras);

  // Texts of sixteen words, with tokens.
  for (auto& [class_name, inputs] : extras.thumbnails) {
    for (auto& [name, uri] : inputs) {
      uri.clear();
      name = "<b>one</b>";
      for (const char* word : {"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
                               "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"})
        name += std::string(" ") + word;
    }
  }
  add_maps(along, true);
  write(folder + "/texts", along, extras);

  write_many(folder + "/many", found);
  return 0;
}
