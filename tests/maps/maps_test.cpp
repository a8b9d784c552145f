#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "apps/demo/demo.h"
#include "apps/demo/images.h"
#include "atcav/run/extremes.h"
#include "atcav/run/run.h"
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
  for (const Result& result : found_->results) EXPECT_EQ(result.maps.has_value(), result.layer != "pool");
}

// Share of the map's mass (absolute values) in cells of which the animal covers at least a part, and the
// share of the picture that those cells are.
struct Mass {
  double on_animal = 0;
  double area = 0;
};
Mass mass_on_animal(const PositionMaps& maps, const PositionMap& map, const MatrixF& coverage) {
  const Index side = demo::kSide / maps.width;
  Mass mass;
  double all = 0;
  for (Index cell = 0; cell < maps.height * maps.width; ++cell) {
    const double size = std::abs(map.sensitivity[static_cast<std::size_t>(cell)]);
    all += size;
    const auto pixels = coverage.block(cell / maps.width * side, cell % maps.width * side, side, side);
    if (pixels.maxCoeff() == 0) continue;
    mass.on_animal += size;
    mass.area += 1.0 / static_cast<double>(maps.height * maps.width);
  }
  mass.on_animal /= all;
  return mass;
}

// Of the most sensitive inputs of the two classes that are made of a texture, at both layers with positions.
// The animals take a fifth to two fifths of the picture, and what a position sees reaches beyond its own
// cell.
TEST_F(DemoMaps, AreOnTheTexture) {
  Index inputs = 0;
  Index on_texture = 0;
  for (const Result& result : found_->results) {
    const bool own = (result.concept_name == "striped" && result.class_name == "zebra") ||
                     (result.concept_name == "dotted" && result.class_name == "leopard");
    if (!own || !result.maps) continue;
    for (const Index input : extremes_of(result.sensitivities).most) {
      for (const PositionMap& map : result.maps->inputs) {
        if (map.input != input) continue;
        const MatrixF coverage = demo::coverage(demo::parse_set(result.class_name), input, kSeed);
        const Mass mass = mass_on_animal(*result.maps, map, coverage);
        ++inputs;
        on_texture += mass.on_animal > 0.5 ? 1 : 0;
        EXPECT_GT(mass.on_animal, mass.area) << result.concept_name << " " << result.layer << " " << input;
      }
    }
  }
  EXPECT_EQ(inputs, 24);
  EXPECT_GE(on_texture, 0.9 * static_cast<double>(inputs));
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
