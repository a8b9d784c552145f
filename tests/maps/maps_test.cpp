#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "apps/demo/demo.h"
#include "apps/demo/images.h"
#include "atcav/run.h"
#include "pipeline/extremes.h"
#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

double total(const std::vector<double>& cells) {
  double sum = 0;
  for (const double cell : cells) sum += cell;
  return sum;
}

// Every map of every result adds up to the sensitivity of its input.
void expect_sums(const RunResult& found) {
  std::size_t maps = 0;
  for (const Result& result : found.results) {
    if (!result.maps) continue;
    for (const PositionMap& map : result.maps->inputs) {
      const double s = result.sensitivities[static_cast<std::size_t>(map.input)];
      EXPECT_NEAR(total(map.sensitivity), s, 1e-5 * std::abs(s))
          << result.concept_name << " " << result.class_name << " " << result.layer << " " << map.input;
      EXPECT_EQ(map.activation.size(), map.sensitivity.size());
      ++maps;
    }
  }
  EXPECT_GT(maps, 0U);
}

class DemoMaps : public testing::Test {
 protected:
  static constexpr std::uint64_t kSeed = 0;
  static void SetUpTestSuite() {
    folder_ = new testing_support::TempFolder;
    found_ = new RunResult(run(demo::write(folder_->file("demo"), kSeed)));
  }
  static void TearDownTestSuite() {
    delete found_;
    delete folder_;
  }
  static testing_support::TempFolder* folder_;
  static RunResult* found_;
};
testing_support::TempFolder* DemoMaps::folder_ = nullptr;
RunResult* DemoMaps::found_ = nullptr;

TEST_F(DemoMaps, AddUpToTheSensitivity) {
  expect_sums(*found_);
  for (const Result& result : found_->results)
    EXPECT_EQ(result.maps.has_value(), result.layer != "pool" && !result.label);
}

// Share of a map's mass (absolute values) in cells of which the animal of picture `animal` covers at least a
// part.
double mass_on(const PositionMaps& maps, const std::vector<double>& cells, const std::string& class_name,
               Index animal) {
  const MatrixF coverage = demo::coverage(demo::parse_set(class_name), animal, 0);
  const Index side = demo::kSide / maps.width;
  double on_animal = 0;
  double all = 0;
  for (Index cell = 0; cell < maps.height * maps.width; ++cell) {
    const double size = std::abs(cells[static_cast<std::size_t>(cell)]);
    all += size;
    const auto pixels = coverage.block(cell / maps.width * side, cell % maps.width * side, side, side);
    if (pixels.maxCoeff() > 0) on_animal += size;
  }
  return on_animal / all;
}

// Where the other pictures of the class have their animals: what a map that always lies in the middle would
// get.
double mass_on_others(const PositionMaps& maps, const std::vector<double>& cells,
                      const std::string& class_name, Index own) {
  constexpr Index kOthers = 59;
  double sum = 0;
  for (Index animal = 0; animal <= kOthers; ++animal)
    sum += animal == own ? 0 : mass_on(maps, cells, class_name, animal);
  return sum / kOthers;
}

// Of the most sensitive inputs of the two classes that are made of a texture, at both layers with positions.
// The animals take a fifth to two fifths of the picture, and what a position sees reaches beyond its own
// cell. At block4 the gradient is the same everywhere, so its map cannot know where the animal is; block3 and
// activations do.
TEST_F(DemoMaps, AreOnTheTexture) {
  Index inputs = 0;
  Index on_texture = 0;
  Index block3 = 0;
  Index follows = 0;
  for (const Result& result : found_->results) {
    const bool own = (result.concept_name == "striped" && result.class_name == "zebra") ||
                     (result.concept_name == "dotted" && result.class_name == "leopard");
    if (!own || !result.maps) continue;
    for (const Index input : extremes_of(result.sensitivities).most) {
      const auto map = std::find_if(result.maps->inputs.begin(), result.maps->inputs.end(),
                                    [&](const PositionMap& one) { return one.input == input; });
      ASSERT_NE(map, result.maps->inputs.end());
      const auto on = [&](const std::vector<double>& cells) {
        return mass_on(*result.maps, cells, result.class_name, input);
      };
      const auto on_others = [&](const std::vector<double>& cells) {
        return mass_on_others(*result.maps, cells, result.class_name, input);
      };
      ++inputs;
      on_texture += on(map->sensitivity) > 0.5 ? 1 : 0;
      EXPECT_GT(on(map->activation), on_others(map->activation)) << result.layer << " " << input;
      if (result.layer != "block3") continue;
      ++block3;
      follows += on(map->sensitivity) > on_others(map->sensitivity) ? 1 : 0;
    }
  }
  EXPECT_EQ(inputs, 24);
  EXPECT_EQ(block3, 12);
  EXPECT_GE(on_texture, 0.9 * static_cast<double>(inputs));
  EXPECT_GE(follows, 0.9 * static_cast<double>(block3));
}

TEST(MobileNet, MapsAddUpToTheSensitivity) {
  const char* data = std::getenv("ATCAV_MAPS_DATA");
  const std::string folder = data == nullptr ? "" : data;
  if (!std::filesystem::exists(folder + "/models/mobilenetv2.onnx"))
    GTEST_SKIP() << "there is no mobilenetv2.onnx in " << folder;
  testing_support::TempFolder few;
  const auto some = [&](const std::string& path, int count) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/" + path))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    files.resize(std::min<std::size_t>(files.size(), static_cast<std::size_t>(count)));
    const std::string to = few.file(std::filesystem::path(path).filename().string());
    std::filesystem::create_directories(to);
    for (const auto& file : files) std::filesystem::create_symlink(file, to + "/" + file.filename().string());
    return to;
  };
  Config config;
  config.model = folder + "/models/mobilenetv2.onnx";
  config.layers = {"add_26", "add_72"};
  config.classes = {{"zebra", 340, some("classes/zebra_340", 12)}};
  config.concepts = {{"striped", some("concepts/striped", 20)}};
  config.random = some("random/imagenet500", 30);
  config.no_intervene = true;
  expect_sums(run(config));
}

}  // namespace
}  // namespace atcav
