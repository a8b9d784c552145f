#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "atcav/base/random.h"
#include "atcav/run/analyse.h"
#include "atcav/run/analyse_pass.h"
#include "atcav/report/given_html.h"
#include "atcav/report/html.h"
#include "atcav/report/json.h"
#include "atcav/span/directions.h"
#include "atcav/span/source.h"

// example_report FOLDER: results.json and report.html, in FOLDER/given those of given directions, of
// simulated data with everything a report can show, for the browser test and for looking at it. Four
// concepts, two classes, three layers:
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

LayerResults simulate_layer(const std::string& layer, double strength, const Options& options) {
  atcav::Stream stream(17);
  const std::array<double, 4> shift = {0.5 + 2 * strength, 1.5, 2, 0};
  std::vector<atcav::span::MatrixSource> sources;
  sources.reserve(1 + kConcepts.size());
  sources.emplace_back("random", rows(stream, 400, 0, 0));
  for (std::size_t c = 0; c < kConcepts.size(); ++c)
    sources.emplace_back(kConcepts[c], rows(stream, c == 2 ? 40 : 80, static_cast<Index>(c), shift[c]));
  std::vector<atcav::span::RowSource*> pointers;
  pointers.reserve(sources.size());
  for (auto& source : sources) pointers.push_back(&source);

  MatrixF gradients = 0.4F * stream.normal_matrix(2 * kInputs, kColumns).cast<float>();
  gradients.topRows(kInputs).col(0).array() += static_cast<float>(strength);
  gradients.topRows(kInputs).col(1).array() -= 0.8F;
  gradients.bottomRows(kInputs).col(1).array() += 0.6F;
  gradients.col(2).array() += 0.07F;
  LayerNames names;
  names.layer = layer;
  names.concepts.assign(kConcepts.begin(), kConcepts.end());
  names.classes = {{"zebra", kInputs}, {"dalmatian", kInputs}};
  const auto pass = atcav::span::run_pass(gradients, pointers, pass_options(options, 40));
  return analyse_pass(pass, gradients, names, options, [] {});
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

// The same concepts as directions that are given: unit vectors.
RunResult score_directions() {
  atcav::Stream stream(18);
  RunResult scored;
  scored.options = checked_for_given({});
  const LayerDirections directions = {
      "layer3", {kConcepts.begin(), kConcepts.end()}, atcav::Matrix::Identity(4, kColumns)};
  MatrixF gradients = 0.4F * stream.normal_matrix(2 * kInputs, kColumns).cast<float>();
  gradients.topRows(kInputs).col(0).array() += 1;
  gradients.topRows(kInputs).col(1).array() -= 0.8F;
  scored.given =
      score_given(directions, gradients, {{"zebra", kInputs}, {"dalmatian", kInputs}}, scored.options);
  scored.entanglement.push_back(
      {"layer3", directions.concepts, atcav::span::cosines_between(directions.rows)});
  scored.notes = {"directions were given"};
  scored.inputs.push_back({"cavs", "cavs.safetensors", std::string(64, 'a'), {}});
  return scored;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  RunResult scored;
  scored.options = checked({});
  const std::array<double, 3> strengths = {0.02, 0.3, 1};
  for (std::size_t l = 0; l < strengths.size(); ++l) {
    LayerResults found = simulate_layer("layer" + std::to_string(l + 1), strengths[l], scored.options);
    for (Result& result : found.results) scored.results.push_back(std::move(result));
    scored.entanglement.push_back(std::move(found.entanglement));
  }
  correct_for_multiple_tests(scored.results);
  scored.inputs.push_back({"random", "images/random", std::string(64, 'a'), {400, 3, 224, 224}});
  scored.inputs.push_back({"concept 'striped'", "images/striped", std::string(64, 'b'), {80, 3, 224, 224}});
  atcav::report::Extras extras;
  extras.command_line = "atcav run --model resnet50.onnx --layer layer1 --layer layer2 --layer layer3 -o out";
  for (const char* name : {"zebra", "dalmatian"}) {
    for (Index i = 0; i < kInputs; ++i) extras.thumbnails[name].push_back(picture(name, i));
  }
  const std::string folder = argv[1];
  std::ofstream(folder + "/results.json") << atcav::report::results_json("run", scored);
  std::ofstream(folder + "/report.html") << atcav::report::results_html("run", scored, extras);

  const std::string given = folder + "/given";
  std::filesystem::create_directories(given);
  scored = score_directions();
  std::ofstream(given + "/results.json") << atcav::report::results_json("run", scored);
  std::ofstream(given + "/report.html") << atcav::report::given_html(scored, extras);
  return 0;
}
