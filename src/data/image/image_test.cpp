#include "data/image/image.h"

#include <gmock/gmock.h>

#include <array>
#include <future>
#include <optional>
#include <stdexcept>

#include "tests/support/jpeg_image.h"
#include "tests/support/png_image.h"

namespace atcav::data {
namespace {

using testing::ElementsAre;
using testing_support::jpeg_bytes;
using testing_support::png_bytes;

TEST(DecodeImage, TellsFormatsByTheirContent) {
  EXPECT_EQ(decode_image(testing_support::grey_png(3, 2, 5), "x").width, 3);
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(16 * 8 * 3), 40);
  EXPECT_EQ(decode_image(testing_support::jpeg_bytes(16, 8, pixels), "x").width, 16);
}

TEST(DecodeImage, NamesTheFile) {
  EXPECT_THAT([] { decode_image("GIF89a", "zebra.gif"); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("zebra.gif: is neither")));
}

// 3 bytes per pixel, 6 more where all coefficients are kept.
TEST(DecodeImage, IsRefusedBeyondTheBudget) {
  EXPECT_NO_THROW(decode_image(testing_support::grey_png(100, 100, 5), "x", 30'000));
  EXPECT_THAT([] { decode_image(testing_support::grey_png(100, 100, 5), "big.png", 29'999); },
              testing::ThrowsMessage<std::runtime_error>(
                  testing::StartsWith("[decode_image] big.png of 100 x 100 pixels needs 3e-05 GB")));
  const std::vector<std::uint8_t> pixels(std::size_t{100 * 100 * 3}, 40);
  const std::string scans = jpeg_bytes(100, 100, pixels, {JCS_RGB, true});
  EXPECT_NO_THROW(decode_image(scans, "x", 90'000));
  EXPECT_THROW(decode_image(scans, "x", 89'999), std::runtime_error);
  const std::string turned = jpeg_bytes(100, 100, pixels, {.exif = testing_support::exif_block(6)});
  EXPECT_NO_THROW(decode_image(turned, "x", 60'000));
  EXPECT_THROW(decode_image(turned, "x", 59'999), std::runtime_error);
}

TEST(DecodeImage, WaitsUntilOthersLeaveRoom) {
  const std::string file = testing_support::grey_png(100, 100, 5);
  std::optional<Image> first = decode_image(file, "x", 130'000);
  const Image second = decode_image(file, "x", 130'000);
  auto third = std::async(std::launch::async, [&] { return decode_image(file, "x", 130'000).width; });
  EXPECT_EQ(third.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  first.reset();
  EXPECT_EQ(third.get(), 100);
}

std::vector<std::uint8_t> flat(std::size_t pixels, std::vector<std::uint8_t> colour) {
  std::vector<std::uint8_t> all;
  for (std::size_t i = 0; i < pixels; ++i) all.insert(all.end(), colour.begin(), colour.end());
  return all;
}

// A flat colour survives compression but for rounding in the colour transform.
void expect_colour(const Image& image, int r, int g, int b) {
  ASSERT_EQ(image.rgb.size(), static_cast<std::size_t>(image.width * image.height * 3));
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    EXPECT_NEAR(image.rgb[i], r, 2);
    EXPECT_NEAR(image.rgb[i + 1], g, 2);
    EXPECT_NEAR(image.rgb[i + 2], b, 2);
  }
}

TEST(DecodeImageJpeg, BaselineAndProgressive) {
  const auto pixels = flat(16 * 8, {200, 100, 50});
  expect_colour(decode_image(jpeg_bytes(16, 8, pixels), "x"), 200, 100, 50);
  expect_colour(decode_image(jpeg_bytes(16, 8, pixels, {JCS_RGB, true}), "x"), 200, 100, 50);
}

TEST(DecodeImageJpeg, GreyscaleBecomesThreeEqualChannels) {
  expect_colour(decode_image(jpeg_bytes(8, 8, flat(64, {90}), {JCS_GRAYSCALE}), "x"), 90, 90, 90);
}

// Ink is stored inverted: 255 is none. 255·204/255 = 204 for red, 0 for full ink, black ink scales all.
TEST(DecodeImageJpeg, InkIsConvertedAsPillowDoes) {
  expect_colour(decode_image(jpeg_bytes(8, 8, flat(64, {255, 255, 255, 255}), {JCS_CMYK}), "x"), 255, 255,
                255);
  expect_colour(decode_image(jpeg_bytes(8, 8, flat(64, {204, 0, 255, 255}), {JCS_CMYK}), "x"), 204, 0, 255);
  expect_colour(decode_image(jpeg_bytes(8, 8, flat(64, {255, 255, 255, 100}), {JCS_CMYK}), "x"), 100, 100,
                100);
}

TEST(DecodeImageJpeg, CutShortOrDamagedIsRefused) {
  const std::string bytes = jpeg_bytes(32, 32, flat(32 * 32, {10, 200, 30}));
  for (const std::size_t length : {std::size_t{3}, std::size_t{20}, bytes.size() / 2, bytes.size() - 20}) {
    EXPECT_THROW(decode_image(std::string_view(bytes).substr(0, length), "x"), std::runtime_error) << length;
  }
  EXPECT_THROW(decode_image("\xFF\xD8\xFFnonsense", "x"), std::runtime_error);
  // libjpeg only warns of both, and only one of them loses pixels.
  std::string stray = bytes;
  stray.insert(stray.find("\xFF\xC4"), "xx");
  EXPECT_EQ(decode_image(stray, "x").rgb, decode_image(bytes, "x").rgb);
  EXPECT_THROW(decode_image(std::string_view(stray).substr(0, stray.size() - 20), "x"), std::runtime_error);
}

TEST(DecodeImagePng, GreyBecomesThreeEqualChannels) {
  const Image image = decode_image(testing_support::grey_png(2, 1, 77), "x");
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 1);
  EXPECT_THAT(image.rgb, ElementsAre(77, 77, 77, 77, 77, 77));
}

// Pillow's convert("RGB") drops alpha without blending.
TEST(DecodeImagePng, AlphaIsDropped) {
  const std::array<std::uint8_t, 4> pixel = {10, 20, 30, 0};
  EXPECT_THAT(decode_image(png_bytes(PNG_FORMAT_RGBA, 1, 1, pixel.data()), "x").rgb, ElementsAre(10, 20, 30));
}

TEST(DecodeImagePng, PaletteIsLookedUp) {
  const std::array<std::uint8_t, 6> palette = {1, 2, 3, 250, 251, 252};
  const std::array<std::uint8_t, 2> pixels = {1, 0};
  const std::string bytes = png_bytes(PNG_FORMAT_RGB_COLORMAP, 2, 1, pixels.data(), palette.data(), 2);
  EXPECT_THAT(decode_image(bytes, "x").rgb, ElementsAre(250, 251, 252, 1, 2, 3));
}

TEST(DecodeImagePng, SixteenBitsLoseTheLowerEight) {
  // The simplified writer takes linear light; 0 and 65535 are the same in every scale.
  const std::array<std::uint16_t, 3> pixel = {0, 65535, 0};
  EXPECT_THAT(decode_image(png_bytes(PNG_FORMAT_LINEAR_RGB, 1, 1, pixel.data()), "x").rgb,
              ElementsAre(0, 255, 0));
}

TEST(DecodeImagePng, EveryTruncationIsRefused) {
  const std::string bytes = testing_support::grey_png(8, 8, 5);
  // The last 12 bytes are IEND, which holds no pixels.
  for (std::size_t length = 0; length + 16 < bytes.size(); ++length) {
    EXPECT_THROW(decode_image(std::string_view(bytes).substr(0, length), "x"), std::runtime_error) << length;
  }
}

// Six flat blocks of 8 × 8 pixels, 40 · 1 … 40 · 6 in the file: 1 2 3 in the top row, 4 5 6 below.
std::string numbered(const std::string& exif) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 24; ++x) {
      pixels.insert(pixels.end(), 3, static_cast<std::uint8_t>(40 * (1 + x / 8 + y / 8 * 3)));
    }
  }
  return jpeg_bytes(24, 16, pixels, {JCS_RGB, false, exif});
}

std::vector<int> blocks(const Image& image) {
  std::vector<int> values;
  for (Index y = 4; y < image.height; y += 8) {
    for (Index x = 4; x < image.width; x += 8) {
      values.push_back((image.rgb[static_cast<std::size_t>((y * image.width + x) * 3)] + 20) / 40);
    }
  }
  return values;
}

std::vector<int> turned_blocks(char orientation, bool big_endian = true) {
  return blocks(decode_image(numbered(testing_support::exif_block(orientation, big_endian)), "x"));
}

// What Pillow's ImageOps.exif_transpose gives for the same picture.
TEST(DecodeImageExif, AllEightOrientations) {
  EXPECT_THAT(turned_blocks(1), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(turned_blocks(2), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(turned_blocks(3), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(turned_blocks(4), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(turned_blocks(5), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(turned_blocks(6), ElementsAre(4, 1, 5, 2, 6, 3));
  EXPECT_THAT(turned_blocks(7), ElementsAre(6, 3, 5, 2, 4, 1));
  EXPECT_THAT(turned_blocks(8), ElementsAre(3, 6, 2, 5, 1, 4));
  EXPECT_THAT(turned_blocks(6, false), ElementsAre(4, 1, 5, 2, 6, 3));
}

TEST(DecodeImageExif, NonsenseIsUpright) {
  EXPECT_THAT(turned_blocks(77), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(blocks(decode_image(numbered(""), "x")), ElementsAre(1, 2, 3, 4, 5, 6));
  const std::string block = testing_support::exif_block(6);
  for (std::size_t length = 0; length < 20; ++length) {
    EXPECT_EQ(decode_image(numbered(block.substr(0, length)), "x").width, 24) << length;
  }
}

}  // namespace
}  // namespace atcav::data
