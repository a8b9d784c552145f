#include "apps/demo/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "apps/demo/images.h"
#include "apps/demo/model.h"
#include "apps/demo/truth.h"
#include "atcav/io/atomic_file.h"
#include "atcav/io/encode_image.h"

namespace atcav::demo {
namespace {

// Multiples of kDemoTurns, so that every set has its textures equally often.
constexpr Index kRandomPictures = 240;
constexpr Index kConceptPictures = 96;
constexpr Index kClassPictures = 60;

io::Image to_image(const float* values) {
  io::Image image{kDemoSide, kDemoSide, std::vector<std::uint8_t>(static_cast<std::size_t>(3 * kDemoPixels))};
  for (Index pixel = 0; pixel < kDemoPixels; ++pixel) {
    for (Index c = 0; c < 3; ++c) {
      const float value = std::clamp(values[c * kDemoPixels + pixel], 0.0F, 1.0F);
      image.rgb[3 * pixel + c] = static_cast<std::uint8_t>(std::lround(255 * value));
    }
  }
  return image;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw std::runtime_error(fmt::format("[demo] {}: {}", path, error.message()));
}

std::string write_pictures(const std::string& folder, DemoSet set, Index count, std::uint64_t seed) {
  std::string path = fmt::format("{}/images/{}", folder, name(set));
  // A longer set of an earlier demo must not lend its pictures to this one.
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  make_folder(path);
  const MatrixF pictures = demo_images(set, count, seed);
  for (Index i = 0; i < count; ++i) {
    const std::string file = fmt::format("{}/{:04}.png", path, i);
    std::ofstream out(file, std::ios::binary);
    out << io::encode_png(to_image(pictures.row(i).data()));
    out.close();
    if (!out) throw std::runtime_error(fmt::format("[demo] {}: cannot be written", file));
  }
  return path;
}

}  // namespace

Config write_demo(const std::string& folder, std::uint64_t seed) {
  make_folder(folder);
  Config config;
  config.model = folder + "/demo.onnx";
  io::write_file_atomically(config.model, demo_model);
  config.layers = {"block3", "block4", "pool"};
  Index target = 0;
  for (const DemoSet set : demo_classes()) {
    config.classes.push_back(
        {std::string(name(set)), target++, write_pictures(folder, set, kClassPictures, seed)});
  }
  for (const DemoSet set : demo_concepts()) {
    config.concepts.push_back({std::string(name(set)), write_pictures(folder, set, kConceptPictures, seed)});
  }
  config.random = write_pictures(folder, DemoSet::kRandom, kRandomPictures, seed);
  // The network was trained on pixels from 0 to 1.
  config.preprocess = "none";
  config.scale = 1.0 / 255;
  config.options.seed = seed;
  io::write_file_atomically(folder + "/demo.yaml", write_config(config));
  return config;
}

}  // namespace atcav::demo
