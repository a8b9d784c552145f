#include "data/image/preprocess.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

namespace atcav::data {
namespace {

Image flat_image(Index width, Index height, std::uint8_t r, std::uint8_t g, std::uint8_t b) {
  const std::array<std::uint8_t, 3> colour = {r, g, b};
  Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3))};
  for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = colour[i % 3];
  return image;
}

TEST(Preprocess, PresetsScaleAsTheirFrameworksDo) {
  const Image image = flat_image(4, 4, 255, 0, 128);
  const ImageFormat format{3, 4, 4, false};
  const auto torchvision = preprocess(image, preprocess_preset(PreprocessPreset::kTorchvision), format, "x");
  EXPECT_NEAR(torchvision[0], (1 - 0.485) / 0.229, 1e-5);
  EXPECT_NEAR(torchvision[32], (128 / 255.0 - 0.406) / 0.225, 1e-5);
  const auto caffe = preprocess(image, preprocess_preset(PreprocessPreset::kCaffe), format, "x");
  EXPECT_NEAR(caffe[0], 128 - 104, 1e-4);
  EXPECT_NEAR(caffe[32], 255 - 123, 1e-4);
  EXPECT_NEAR(preprocess(image, preprocess_preset(PreprocessPreset::kTf), format, "x")[0], 1, 1e-6);
  EXPECT_EQ(preprocess(image, preprocess_preset(PreprocessPreset::kNone), format, "x")[0], 255);
}

TEST(PreprocessPixels, AreInTheNetworksChannelOrder) {
  const Image image = flat_image(2, 1, 255, 0, 128);
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(preprocess_pixels(image, {}, {3, 1, 2, false}, "x"), (Bytes{255, 0, 128, 255, 0, 128}));
  EXPECT_EQ(preprocess_pixels(image, {.bgr = true}, {3, 1, 2, true}, "x"), (Bytes{128, 0, 255, 128, 0, 255}));
  EXPECT_EQ(preprocess_pixels(image, {}, {1, 1, 2, false}, "x"), (Bytes{91, 91}));  // 76.245 + 14.592
}

TEST(Preprocess, FitsImagesOfOtherSizesUnlessToldNotTo) {
  const ImageFormat format{3, 8, 8, false};
  EXPECT_EQ(preprocess(flat_image(30, 20, 9, 9, 9), {}, format, "x").size(), 192U);
  EXPECT_EQ(preprocess(flat_image(30, 20, 9, 9, 9), {}, format, "x")[0], 9);
  EXPECT_THROW(
      preprocess(flat_image(30, 20, 9, 9, 9), preprocess_preset(PreprocessPreset::kNone), format, "x"),
      std::runtime_error);
  Preprocess explicit_size;
  explicit_size.resize = 10;
  EXPECT_THROW(preprocess(flat_image(30, 20, 9, 9, 9), explicit_size, format, "x"), std::runtime_error);
  explicit_size.crop = 8;
  EXPECT_EQ(preprocess(flat_image(30, 20, 9, 9, 9), explicit_size, format, "x").size(), 192U);
}

// torchvision: an image smaller than the crop gets zeros around it.
TEST(Preprocess, SmallImagesGetBlackEdges) {
  Preprocess how;
  how.crop = 4;
  const auto values = preprocess(flat_image(2, 2, 7, 7, 7), how, {3, 4, 4, false}, "x");
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[5], 7);
}

// A horizontal ramp shrunk to half: away from the edges the triangle filter keeps a straight line.
TEST(Preprocess, ResizingIsAntialiased) {
  Image ramp = flat_image(64, 64, 0, 0, 0);
  for (std::size_t i = 0; i < ramp.rgb.size(); ++i) ramp.rgb[i] = static_cast<std::uint8_t>(2 * (i / 3 % 64));
  Preprocess how;
  how.resize = 32;
  const auto values = preprocess(ramp, how, {3, 32, 32, false}, "x");
  for (std::size_t x = 2; x < 30; ++x) EXPECT_NEAR(values[x], 4 * static_cast<double>(x) + 1, 0.51);
}

TEST(Preprocess, GreyAndChannelsLast) {
  const Image image = flat_image(2, 2, 100, 50, 200);
  EXPECT_EQ(preprocess(image, {}, {1, 2, 2, false}, "x")[0],
            std::round(0.299F * 100 + 0.587F * 50 + 0.114F * 200));
  const auto last = preprocess(image, {}, {3, 2, 2, true}, "x");
  EXPECT_EQ(last[0], 100);
  EXPECT_EQ(last[2], 200);
}

}  // namespace
}  // namespace atcav::data
