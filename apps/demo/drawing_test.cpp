#include "apps/demo/drawing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace atcav::demo {
namespace {

MatrixF drawn(const DemoScene& scene) {
  Stream stream(3);
  return draw(scene, stream);
}

Vector grey(const MatrixF& picture) { return picture.cast<double>().colwise().mean().transpose(); }

DemoScene big_box(DemoTexture texture) {
  DemoScene scene;
  scene.shape = DemoShape::kBox;
  scene.texture = texture;
  scene.length = scene.height = 0.6;
  return scene;
}

TEST(Draw, HueDoesNotChangeTheMeanOfTheChannels) {
  DemoScene scene = big_box(DemoTexture::kDotted);
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
  DemoScene scene = big_box(DemoTexture::kPlain);
  scene.saturation = 0.6;
  const Eigen::Vector3f mean = drawn(scene).rowwise().mean();
  EXPECT_NEAR(mean(0) / mean(1), 1.6 / 0.7, 1e-5);
  EXPECT_NEAR(mean(0) / mean(2), 1.6 / 0.7, 1e-5);
}

TEST(Draw, StaysWithinTheRangeOfAPicture) {
  DemoScene scene = big_box(DemoTexture::kStriped);
  scene.grey = 0.6;
  scene.contrast = 0.6;
  scene.saturation = 0.6;
  EXPECT_GE(drawn(scene).minCoeff(), 0);
  EXPECT_LE(drawn(scene).maxCoeff(), 1);
}

// The variance of a full patch is contrast² times the mean square of the texture, beside noise of 0.01².
// Stripes and checks: tanh of a wave, by quadrature; plain: nothing.
TEST(Draw, TextureHasItsContrast) {
  const auto variance = [](const DemoScene& scene) {
    const Vector g = grey(drawn(scene));
    return (g.array() - g.mean()).square().mean();
  };
  EXPECT_NEAR(variance(big_box(DemoTexture::kPlain)), 1e-4, 1e-5);
  double mean_square = 0;
  for (int i = 0; i < 1000; ++i) {
    mean_square += std::pow(std::tanh(2 * std::sin(2 * std::numbers::pi * i / 1000)), 2) / 1000;
  }
  DemoScene stripes = big_box(DemoTexture::kStriped);
  stripes.period = 1.0 / 6;  // a whole number of periods
  EXPECT_NEAR(variance(stripes), 0.01 * mean_square + 1e-4, 2e-4);
}

TEST(Draw, StripesChangeAlongOneDirectionOnly) {
  DemoScene scene = big_box(DemoTexture::kStriped);
  const Vector g = grey(drawn(scene));
  const Eigen::Map<const Matrix> picture(g.data(), kDemoSide, kDemoSide);
  const Vector along = picture.rowwise().mean();
  const Vector across = picture.colwise().mean().transpose();
  EXPECT_LT((along.array() - along.mean()).abs().maxCoeff(), 0.01);
  EXPECT_GT((across.array() - across.mean()).abs().maxCoeff(), 0.08);
}

TEST(Draw, PutsTheShapeWhereTheSceneSays) {
  for (const DemoShape shape : {DemoShape::kEllipse, DemoShape::kBox, DemoShape::kAnimal}) {
    DemoScene scene;
    scene.shape = shape;
    scene.x = 0.25;
    scene.length = 0.2;
    scene.height = 0.15;
    scene.grey = 0.5;
    scene.ground = 0.1;
    const Vector g = grey(drawn(scene));
    const Eigen::Map<const Matrix> picture(g.data(), kDemoSide, kDemoSide);
    EXPECT_NEAR(picture(kDemoSide / 2, kDemoSide / 4), 0.5, 0.05);
    EXPECT_NEAR(picture(kDemoSide / 2, 3 * kDemoSide / 4), 0.1, 0.05);
    EXPECT_NEAR(picture(1, kDemoSide / 4), 0.1, 0.05);
  }
}

TEST(Draw, AnimalsFaceBothWays) {
  DemoScene scene;
  scene.shape = DemoShape::kAnimal;
  scene.grey = 0.5;
  scene.ground = 0.1;
  const auto upper_right = [&scene] {
    const Vector g = grey(drawn(scene));
    const Eigen::Map<const Matrix> picture(g.data(), kDemoSide, kDemoSide);
    return picture.block(10, 36, 10, 10).mean();
  };
  const double with_head = upper_right();
  scene.faces_left = true;
  EXPECT_GT(with_head, upper_right() + 0.05);
}

}  // namespace
}  // namespace atcav::demo
