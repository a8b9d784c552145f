#include "atcav/io/image_png.h"

#include <gmock/gmock.h>

#include <array>
#include <stdexcept>

#include "tests/support/png_image.h"

namespace atcav::io {
namespace {

using testing::ElementsAre;
using testing_support::png_bytes;

TEST(DecodePng, GreyBecomesThreeEqualChannels) {
  const Image image = decode_png(testing_support::grey_png(2, 1, 77), "x");
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 1);
  EXPECT_THAT(image.rgb, ElementsAre(77, 77, 77, 77, 77, 77));
}

// Pillow's convert("RGB") drops alpha without blending.
TEST(DecodePng, AlphaIsDropped) {
  const std::array<std::uint8_t, 4> pixel = {10, 20, 30, 0};
  EXPECT_THAT(decode_png(png_bytes(PNG_FORMAT_RGBA, 1, 1, pixel.data()), "x").rgb, ElementsAre(10, 20, 30));
}

TEST(DecodePng, PaletteIsLookedUp) {
  const std::array<std::uint8_t, 6> palette = {1, 2, 3, 250, 251, 252};
  const std::array<std::uint8_t, 2> pixels = {1, 0};
  const std::string bytes = png_bytes(PNG_FORMAT_RGB_COLORMAP, 2, 1, pixels.data(), palette.data(), 2);
  EXPECT_THAT(decode_png(bytes, "x").rgb, ElementsAre(250, 251, 252, 1, 2, 3));
}

TEST(DecodePng, SixteenBitsLoseTheLowerEight) {
  // The simplified writer takes linear light; 0 and 65535 are the same in every scale.
  const std::array<std::uint16_t, 3> pixel = {0, 65535, 0};
  EXPECT_THAT(decode_png(png_bytes(PNG_FORMAT_LINEAR_RGB, 1, 1, pixel.data()), "x").rgb,
              ElementsAre(0, 255, 0));
}

TEST(DecodePng, EveryTruncationIsRefused) {
  const std::string bytes = testing_support::grey_png(8, 8, 5);
  // The last 12 bytes are IEND, which holds no pixels.
  for (std::size_t length = 0; length + 16 < bytes.size(); ++length) {
    EXPECT_THROW(decode_png(std::string_view(bytes).substr(0, length), "x"), std::runtime_error) << length;
  }
}

}  // namespace
}  // namespace atcav::io
