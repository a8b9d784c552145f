#include "data/image/resize.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/random.h"

// Against Pillow itself: pillow_test.cpp.
namespace atcav::data {
namespace {

Image noise(Index width, Index height) {
  Stream stream(static_cast<std::uint64_t>(width * 1000 + height));
  Image image{width, height, {}};
  for (Index i = 0; i < width * height * 3; ++i)
    image.rgb.push_back(static_cast<std::uint8_t>(stream.below(256)));
  return image;
}

// By hand, Pillow's documented filter: 0 and 255 side by side become 0, ¼, ¾ and 1 of 255; shrunk to one
// pixel their mean, halves rounded up.
TEST(Resize, TwoPixels) {
  const Image two{2, 1, {0, 0, 0, 255, 255, 255}};
  const Image four = resize(two, 4, 1);
  EXPECT_EQ(four.rgb, (std::vector<std::uint8_t>{0, 0, 0, 64, 64, 64, 191, 191, 191, 255, 255, 255}));
  EXPECT_EQ(resize(two, 1, 1).rgb, (std::vector<std::uint8_t>{128, 128, 128}));
}

TEST(Resize, TheSameSizeIsTheSameImage) {
  const Image image = noise(13, 7);
  EXPECT_EQ(resize(image, 13, 7).rgb, image.rgb);
}

TEST(Resize, AWindowIsAPartOfTheWhole) {
  for (const auto& [width, height] : {std::pair<Index, Index>{40, 9}, {11, 61}, {100, 80}}) {
    const Image image = noise(29, 31);
    const Image whole = resize(image, width, height);
    const Window window{width / 3, height / 4, width / 2, height / 2};
    const Image part = resize(image, width, height, window);
    ASSERT_EQ(part.width, window.width);
    ASSERT_EQ(part.height, window.height);
    for (Index y = 0; y < part.height; ++y) {
      for (Index i = 0; i < part.width * 3; ++i) {
        ASSERT_EQ(part.rgb[static_cast<std::size_t>(y * part.width * 3 + i)],
                  whole.rgb[static_cast<std::size_t>(((window.top + y) * width + window.left) * 3 + i)]);
      }
    }
  }
}

TEST(Resize, RefusesWindowsThatStickOut) {
  const Image image = noise(3, 3);
  EXPECT_THROW(resize(image, 5, 5, {1, 0, 5, 5}), std::invalid_argument);
  EXPECT_THROW(resize(image, 5, 5, {0, -1, 5, 5}), std::invalid_argument);
  EXPECT_THROW(resize(image, 0, 5), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::data
