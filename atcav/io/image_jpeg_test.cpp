#include "atcav/io/image_jpeg.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/jpeg_image.h"

namespace atcav::io {
namespace {

using testing_support::jpeg_bytes;
using testing_support::JpegCase;

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

TEST(DecodeJpeg, BaselineAndProgressive) {
  const auto pixels = flat(16 * 8, {200, 100, 50});
  expect_colour(decode_jpeg(jpeg_bytes(16, 8, pixels), "x"), 200, 100, 50);
  expect_colour(decode_jpeg(jpeg_bytes(16, 8, pixels, {JCS_RGB, true}), "x"), 200, 100, 50);
}

TEST(DecodeJpeg, GreyscaleBecomesThreeEqualChannels) {
  expect_colour(decode_jpeg(jpeg_bytes(8, 8, flat(64, {90}), {JCS_GRAYSCALE}), "x"), 90, 90, 90);
}

// Ink is stored inverted: 255 is none. 255·204/255 = 204 for red, 0 for full ink, black ink scales all.
TEST(DecodeJpeg, InkIsConvertedAsPillowDoes) {
  expect_colour(decode_jpeg(jpeg_bytes(8, 8, flat(64, {255, 255, 255, 255}), {JCS_CMYK}), "x"), 255, 255,
                255);
  expect_colour(decode_jpeg(jpeg_bytes(8, 8, flat(64, {204, 0, 255, 255}), {JCS_CMYK}), "x"), 204, 0, 255);
  expect_colour(decode_jpeg(jpeg_bytes(8, 8, flat(64, {255, 255, 255, 100}), {JCS_CMYK}), "x"), 100, 100,
                100);
}

TEST(DecodeJpeg, CutShortOrDamagedIsRefused) {
  const std::string bytes = jpeg_bytes(32, 32, flat(32 * 32, {10, 200, 30}));
  for (const std::size_t length : {std::size_t{3}, std::size_t{20}, bytes.size() / 2, bytes.size() - 20}) {
    EXPECT_THROW(decode_jpeg(std::string_view(bytes).substr(0, length), "x"), std::runtime_error) << length;
  }
  EXPECT_THROW(decode_jpeg("\xFF\xD8\xFFnonsense", "x"), std::runtime_error);
}

}  // namespace
}  // namespace atcav::io
