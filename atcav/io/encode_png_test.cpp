#include "atcav/io/encode_png.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/base/random.h"

namespace atcav::io {
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

}  // namespace
}  // namespace atcav::io
