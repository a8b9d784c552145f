#include "apps/demo/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "apps/demo/images.h"
#include "core/parallel.h"
#include "data/file/atomic_file.h"
#include "data/image/encode_image.h"

namespace atcav::demo {
namespace {

namespace fs = std::filesystem;

// Multiples of kTurnCount, so that every set has its textures equally often.
constexpr Index kRandomPictures = 240;
constexpr Index kConceptPictures = 96;
constexpr Index kClassPictures = 60;
constexpr std::string_view kFirstLine =
    "# Written by atcav demo, which replaces it. To change it, make a copy.\n";
constexpr Index kPoolPictures = 240;
constexpr std::string_view kLabelsHeader = "file,stripes,reddish\n";
constexpr std::size_t kPngHeader = 33;  // signature, and a chunk with size and kind of pixels

std::string png(const float* values) {
  data::Image image{kSide, kSide, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * kPixels))};
  for (Index pixel = 0; pixel < kPixels; ++pixel) {
    for (Index c = 0; c < 3; ++c) {
      const float value = std::clamp(values[c * kPixels + pixel], 0.0F, 1.0F);
      image.rgb[3 * pixel + c] = static_cast<std::uint8_t>(std::lround(255 * value));
    }
  }
  return data::encode_png(image);
}

// Whether the file is one of ours, which begin like this.
bool begins_with(const fs::path& file, std::string_view begin) {
  std::string found(begin.size(), '\0');
  return fs::is_regular_file(file) &&
         std::ifstream(file, std::ios::binary)
             .read(found.data(), static_cast<std::streamsize>(found.size())) &&
         found == begin;
}

void check_own(const fs::path& file, bool own) {
  if (own || !fs::exists(fs::symlink_status(file))) return;
  throw std::runtime_error(
      fmt::format("[demo] {} was not written by this demo, choose another folder", file.string()));
}

// The paths of a set's pictures, after a look at what is there already.
std::vector<fs::path> picture_files(const fs::path& folder, Index count) {
  static const std::string header = png(std::vector<float>(3 * kPixels).data()).substr(0, kPngHeader);
  std::vector<fs::path> files;
  for (Index i = 0; i < count; ++i) files.push_back(folder / fmt::format("{:04}.png", i));
  if (!fs::exists(folder)) return files;
  data::remove_left_behind(folder.string());
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const bool named = std::ranges::binary_search(files, entry.path());
    check_own(entry.path(), named && begins_with(entry.path(), header));
  }
  return files;
}

std::string labels_of_pool(std::uint64_t seed) {
  std::string text(kLabelsHeader);
  Index row = 0;
  for (const Scene& scene : scenes(Set::kPool, kPoolPictures, seed)) {
    text += fmt::format("{:04}.png,{},{}\n", row++, scene.texture == Texture::kStriped ? 1 : 0,
                        scene.hue == 0 ? 1 : 0);
  }
  return text;
}

}  // namespace

Config write(const std::string& folder, std::uint64_t seed) {
  Config config;
  config.model = folder + "/demo.onnx";
  config.layers = {"block3", "block4", "pool"};
  std::vector<std::pair<Set, std::vector<fs::path>>> sets;
  const auto add = [&](Set set, Index count) {
    std::string path = fmt::format("{}/images/{}", folder, name(set));
    sets.emplace_back(set, picture_files(path, count));
    return path;
  };
  for (const Set set : kClasses) {
    config.classes.push_back({std::string(name(set)), std::ssize(config.classes), add(set, kClassPictures)});
  }
  for (const Set set : kConcepts) {
    config.concepts.push_back({std::string(name(set)), add(set, kConceptPictures)});
  }
  config.random = add(Set::kRandom, kRandomPictures);
  config.pool_examples = add(Set::kPool, kPoolPictures);
  config.labels = folder + "/labels.csv";
  // The network was trained on pixels from 0 to 1.
  config.preprocess = data::PreprocessPreset::kNone;
  config.scale = 1.0 / 255;
  config.options.seed = seed;
  config.intervene = kClassPictures;  // the network is cheap
  const std::string yaml = folder + "/demo.yaml";
  check_own(config.model, begins_with(config.model, network));
  check_own(yaml, begins_with(yaml, kFirstLine));
  check_own(config.labels, begins_with(config.labels, kLabelsHeader));

  for (const auto& [set, files] : sets) {
    fs::create_directories(files.front().parent_path());
    const MatrixF pictures = images(set, std::ssize(files), seed);
    // Each file waits for the disk; the waits of many threads overlap.
    parallel_for(pictures.rows(), 32, [&, &paths = files](Index i) {
      data::write_file_atomically(paths[i].string(), png(pictures.row(i).data()));
    });
  }
  data::write_file_atomically(config.labels, labels_of_pool(seed));
  data::write_file_atomically(config.model, network);
  data::write_file_atomically(yaml, std::string(kFirstLine) + write_config(config));
  return config;
}

}  // namespace atcav::demo
