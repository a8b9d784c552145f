#include "apps/demo/images.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace atcav::demo {
namespace {

MatrixF drawn(const Scene& scene) {
  Stream stream(3);
  return draw(scene, stream);
}

Vector grey(const MatrixF& picture) { return picture.cast<double>().colwise().mean().transpose(); }

Scene big_box(Texture texture) {
  Scene scene;
  scene.shape = Shape::kBox;
  scene.texture = texture;
  scene.length = scene.height = 0.6;
  return scene;
}

TEST(Draw, HueDoesNotChangeTheMeanOfTheChannels) {
  Scene scene = big_box(Texture::kDotted);
  scene.length = 0.3;
  const Vector before = grey(drawn(scene));
  for (const double hue : {0.5, 2.0, 4.0}) {
    scene.hue = hue;
    scene.ground_hue = 6 - hue;
    // Three roundings to float of values below 1.
    EXPECT_LT((grey(drawn(scene)) - before).cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(Draw, RedIsRed) {
  Scene scene = big_box(Texture::kPlain);
  scene.saturation = 0.6;
  const Eigen::Vector3f mean = drawn(scene).rowwise().mean();
  EXPECT_NEAR(mean(0) / mean(1), 1.6 / 0.7, 1e-5);
  EXPECT_NEAR(mean(0) / mean(2), 1.6 / 0.7, 1e-5);
}

TEST(Draw, StaysWithinTheRangeOfAPicture) {
  Scene scene = big_box(Texture::kStriped);
  scene.grey = 0.6;
  scene.contrast = 0.6;
  scene.saturation = 0.6;
  EXPECT_GE(drawn(scene).minCoeff(), 0);
  EXPECT_LE(drawn(scene).maxCoeff(), 1);
}

// The variance of a full patch is contrast² times the mean square of the texture, beside noise of 0.01².
// Stripes and checks: tanh of a wave, by quadrature; plain: nothing.
TEST(Draw, TextureHasItsContrast) {
  const auto variance = [](const Scene& scene) {
    const Vector g = grey(drawn(scene));
    return (g.array() - g.mean()).square().mean();
  };
  EXPECT_NEAR(variance(big_box(Texture::kPlain)), 1e-4, 1e-5);
  double mean_square = 0;
  for (int i = 0; i < 1000; ++i) {
    mean_square += std::pow(std::tanh(2 * std::sin(2 * std::numbers::pi * i / 1000)), 2) / 1000;
  }
  Scene stripes = big_box(Texture::kStriped);
  stripes.period = 1.0 / 6;  // a whole number of periods
  EXPECT_NEAR(variance(stripes), 0.01 * mean_square + 1e-4, 2e-4);
}

TEST(Draw, StripesChangeAlongOneDirectionOnly) {
  Scene scene = big_box(Texture::kStriped);
  const Vector g = grey(drawn(scene));
  const Eigen::Map<const Matrix> picture(g.data(), kSide, kSide);
  const Vector along = picture.rowwise().mean();
  const Vector across = picture.colwise().mean().transpose();
  EXPECT_LT((along.array() - along.mean()).abs().maxCoeff(), 0.01);
  EXPECT_GT((across.array() - across.mean()).abs().maxCoeff(), 0.08);
}

TEST(Draw, PutsTheShapeWhereTheSceneSays) {
  for (const Shape shape : {Shape::kEllipse, Shape::kBox, Shape::kAnimal}) {
    Scene scene;
    scene.shape = shape;
    scene.x = 0.25;
    scene.length = 0.2;
    scene.height = 0.15;
    scene.grey = 0.5;
    scene.ground = 0.1;
    const Vector g = grey(drawn(scene));
    const Eigen::Map<const Matrix> picture(g.data(), kSide, kSide);
    EXPECT_NEAR(picture(kSide / 2, kSide / 4), 0.5, 0.05);
    EXPECT_NEAR(picture(kSide / 2, 3 * kSide / 4), 0.1, 0.05);
    EXPECT_NEAR(picture(1, kSide / 4), 0.1, 0.05);
  }
}

TEST(Draw, AnimalsFaceBothWays) {
  Scene scene;
  scene.shape = Shape::kAnimal;
  scene.grey = 0.5;
  scene.ground = 0.1;
  const auto upper_right = [&scene] {
    const Vector g = grey(drawn(scene));
    const Eigen::Map<const Matrix> picture(g.data(), kSide, kSide);
    return picture.block(10, 36, 10, 10).mean();
  };
  const double with_head = upper_right();
  scene.faces_left = true;
  EXPECT_GT(with_head, upper_right() + 0.05);
}

TEST(Images, HaveTheShapeTheySay) {
  const MatrixF drawn_set = images(Set::kZebra, 3, 1);
  EXPECT_EQ(drawn_set.rows(), 3);
  EXPECT_EQ(drawn_set.cols(), 3 * 48 * 48);
  EXPECT_EQ(images(Set::kZebra, 0, 1).rows(), 0);
}

TEST(Images, ALongerSetBeginsWithTheShorterOne) {
  EXPECT_EQ(images(Set::kRandom, 9, 4).topRows(5), images(Set::kRandom, 5, 4));
}

TEST(Images, DifferBySeedSetAndPosition) {
  const MatrixF drawn_set = images(Set::kRandom, 5, 4);
  EXPECT_NE(drawn_set.row(0), drawn_set.row(4));
  EXPECT_NE(drawn_set, images(Set::kRandom, 5, 5));
  EXPECT_NE(drawn_set, images(Set::kRed, 5, 4));
}

// Set against set, mean channel values: red patches are redder, and as bright as random ones. The
// brightness of one picture has standard deviation 0.11, so the means of 200 differ by 0.011 or so.
TEST(Images, RedDiffersInColourAndNotInBrightness) {
  const Index count = 200;
  const MatrixF random = images(Set::kRandom, count, 2);
  const MatrixF red = images(Set::kRed, count, 2);
  EXPECT_NEAR(random.mean(), red.mean(), 0.04);
  const auto red_channel = [](const MatrixF& set) { return set.leftCols(kPixels).mean(); };
  EXPECT_GT(red_channel(red) / red.mean(), red_channel(random) / random.mean() + 0.05);
}

TEST(Images, RefuseANegativeCount) { EXPECT_THROW(images(Set::kRed, -1, 0), std::invalid_argument); }

}  // namespace
}  // namespace atcav::demo
