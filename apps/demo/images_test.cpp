#include "apps/demo/images.h"

#include <gtest/gtest.h>

namespace atcav::demo {
namespace {

TEST(DemoImages, HaveTheShapeTheySay) {
  const MatrixF images = demo_images(DemoSet::kZebra, 3, 1);
  EXPECT_EQ(demo_image_shape(), (std::vector<Index>{3, 48, 48}));
  EXPECT_EQ(images.rows(), 3);
  EXPECT_EQ(images.cols(), 3 * 48 * 48);
  EXPECT_EQ(demo_images(DemoSet::kZebra, 0, 1).rows(), 0);
}

TEST(DemoImages, ALongerSetBeginsWithTheShorterOne) {
  EXPECT_EQ(demo_images(DemoSet::kRandom, 9, 4).topRows(5), demo_images(DemoSet::kRandom, 5, 4));
}

TEST(DemoImages, DifferBySeedSetAndPosition) {
  const MatrixF images = demo_images(DemoSet::kRandom, 5, 4);
  EXPECT_NE(images.row(0), images.row(4));
  EXPECT_NE(images, demo_images(DemoSet::kRandom, 5, 5));
  EXPECT_NE(images, demo_images(DemoSet::kRed, 5, 4));
}

// Set against set, mean channel values: red patches are redder, and as bright as random ones. The
// brightness of one picture has standard deviation 0.11, so the means of 200 differ by 0.011 or so.
TEST(DemoImages, RedDiffersInColourAndNotInBrightness) {
  const Index count = 200;
  const MatrixF random = demo_images(DemoSet::kRandom, count, 2);
  const MatrixF red = demo_images(DemoSet::kRed, count, 2);
  EXPECT_NEAR(random.mean(), red.mean(), 0.04);
  const auto red_channel = [](const MatrixF& images) { return images.leftCols(kDemoPixels).mean(); };
  EXPECT_GT(red_channel(red) / red.mean(), red_channel(random) / random.mean() + 0.05);
}

TEST(DemoImages, RefuseANegativeCount) {
  EXPECT_THROW(demo_images(DemoSet::kRed, -1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::demo
