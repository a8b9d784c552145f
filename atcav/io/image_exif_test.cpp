#include "atcav/io/image_exif.h"

#include <gmock/gmock.h>

#include "tests/support/jpeg_image.h"

namespace atcav::io {
namespace {

using testing::ElementsAre;

// 1 2 3 in the top row, 4 5 6 below, as the red channel.
Image numbered() {
  Image image{3, 2, {}};
  for (std::uint8_t i = 1; i <= 6; ++i) image.rgb.insert(image.rgb.end(), {i, 0, 0});
  return image;
}

std::vector<int> reds(const Image& image) {
  std::vector<int> values;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) values.push_back(image.rgb[i]);
  return values;
}

// What Pillow's ImageOps.exif_transpose gives for the same picture.
TEST(Turned, AllEightOrientations) {
  EXPECT_THAT(reds(turned(numbered(), 1)), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(reds(turned(numbered(), 2)), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(reds(turned(numbered(), 3)), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(reds(turned(numbered(), 4)), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(reds(turned(numbered(), 5)), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(reds(turned(numbered(), 6)), ElementsAre(4, 1, 5, 2, 6, 3));
  EXPECT_THAT(reds(turned(numbered(), 7)), ElementsAre(6, 3, 5, 2, 4, 1));
  EXPECT_THAT(reds(turned(numbered(), 8)), ElementsAre(3, 6, 2, 5, 1, 4));
  EXPECT_EQ(turned(numbered(), 6).width, 2);
}

TEST(ExifOrientation, ReadsBothByteOrders) {
  const std::vector<std::uint8_t> pixels(3 * 64, 100);
  for (const bool big_endian : {true, false}) {
    const auto bytes = testing_support::jpeg_bytes(
        8, 8, pixels, {JCS_RGB, false, testing_support::exif_block(6, big_endian)});
    EXPECT_EQ(exif_orientation(bytes), 6);
  }
  EXPECT_EQ(exif_orientation(testing_support::jpeg_bytes(8, 8, pixels)), 1);
}

TEST(ExifOrientation, NonsenseIsUpright) {
  const std::vector<std::uint8_t> pixels(3 * 64, 100);
  EXPECT_EQ(exif_orientation(
                testing_support::jpeg_bytes(8, 8, pixels, {JCS_RGB, false, testing_support::exif_block(77)})),
            1);
  const std::string block = testing_support::exif_block(6);
  for (std::size_t length = 0; length < block.size(); ++length) {
    exif_orientation("\xFF\xD8\xFF\xE1" + block.substr(0, length));
  }
  EXPECT_EQ(exif_orientation(""), 1);
}

}  // namespace
}  // namespace atcav::io
