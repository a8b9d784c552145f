#include "atcav/io/image.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/jpeg_image.h"
#include "tests/support/png_image.h"

namespace atcav::io {
namespace {

TEST(DecodeImage, TellsFormatsByTheirContent) {
  EXPECT_EQ(decode_image(testing_support::grey_png(3, 2, 5), "x").width, 3);
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(16 * 8 * 3), 40);
  EXPECT_EQ(decode_image(testing_support::jpeg_bytes(16, 8, pixels), "x").width, 16);
}

TEST(DecodeImage, TurnsPhotographsUpright) {
  const std::vector<std::uint8_t> pixels(static_cast<std::size_t>(16 * 8 * 3), 40);
  const Image image = decode_image(
      testing_support::jpeg_bytes(16, 8, pixels, {JCS_RGB, false, testing_support::exif_block(8)}), "x");
  EXPECT_EQ(image.width, 8);
  EXPECT_EQ(image.height, 16);
}

TEST(DecodeImage, NamesTheFile) {
  EXPECT_THAT([] { decode_image("GIF89a", "zebra.gif"); },
              testing::ThrowsMessage<std::runtime_error>(testing::HasSubstr("zebra.gif: is neither")));
}

}  // namespace
}  // namespace atcav::io
