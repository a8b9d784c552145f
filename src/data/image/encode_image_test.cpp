#include "data/image/encode_image.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/random.h"

namespace atcav::data {
namespace {

TEST(EncodePng, DecodesToTheSamePixels) {
  Stream stream(1);
  Image image{17, 9, {}};
  for (int i = 0; i < 17 * 9 * 3; ++i) image.rgb.push_back(static_cast<std::uint8_t>(stream.below(256)));
  const Image again = decode_image(encode_png(image), "again");
  EXPECT_EQ(again.width, 17);
  EXPECT_EQ(again.height, 9);
  EXPECT_EQ(again.rgb, image.rgb);
}

TEST(EncodePng, RefusesImagesThatAreNotWhole) {
  EXPECT_THROW(encode_png({2, 2, {1, 2, 3}}), std::invalid_argument);
  EXPECT_THROW(encode_png({0, 2, {}}), std::invalid_argument);
}

// RFC 4648, section 10.
TEST(Base64, PublishedVectors) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

std::string unbase64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    word = word << 6 | static_cast<std::uint32_t>(kDigits.find(c));
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(word >> (bits -= 8) & 255);
  }
  return bytes;
}

TEST(ThumbnailUri, ShrinksAndKeepsTheColours) {
  Image image{200, 100, {}};
  for (Index i = 0; i < 200 * 100; ++i) image.rgb.insert(image.rgb.end(), {200, 100, 50});
  const std::string uri = thumbnail_uri(image, 50);
  constexpr std::string_view kHead = "data:image/jpeg;base64,";
  ASSERT_TRUE(uri.starts_with(kHead));
  const Image small = decode_image(unbase64(uri.substr(kHead.size())), "thumbnail");
  EXPECT_EQ(small.width, 50);
  EXPECT_EQ(small.height, 25);
  // JPEG at quality 80 keeps a flat colour within a few steps.
  EXPECT_NEAR(small.rgb[0], 200, 4);
  EXPECT_NEAR(small.rgb[1], 100, 4);
  EXPECT_NEAR(small.rgb[2], 50, 4);
}

TEST(ThumbnailUri, RefusesImagesThatAreNotWhole) {
  EXPECT_THROW(thumbnail_uri({0, 0, {}}, 10), std::invalid_argument);
  EXPECT_THROW(thumbnail_uri({2, 2, {1, 2, 3}}, 10), std::invalid_argument);
}

// libjpeg's own way to say so is to end the process.
TEST(ThumbnailUri, WhatLibjpegRefusesIsAnError) {
  EXPECT_THROW(thumbnail_uri({70000, 1, std::vector<std::uint8_t>(210000)}, 70000), std::runtime_error);
}

TEST(ThumbnailUri, LargeAndSmallResults) {
  Stream stream(1);
  for (const Index side : {4, 200}) {
    Image noise{side, side, std::vector<std::uint8_t>(static_cast<std::size_t>(side * side * 3))};
    for (std::uint8_t& value : noise.rgb) value = static_cast<std::uint8_t>(stream.below(256));
    const std::string uri = thumbnail_uri(noise, side);
    EXPECT_EQ(uri.size() > 20000, side == 200);
    const Image back = decode_image(unbase64(uri.substr(uri.find(',') + 1)), "noise");
    EXPECT_EQ(back.width, side);
    EXPECT_EQ(back.height, side);
  }
}

}  // namespace
}  // namespace atcav::data
