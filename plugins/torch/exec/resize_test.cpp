#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

at::Tensor reals(std::vector<double> values) { return at::tensor(values, at::kDouble); }

TEST(ResizeOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({1, 1, 3, 4});
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    const OpCase op{"Resize", {text("mode", mode)}};
    EXPECT_LT(gradient_error(op, {x, at::Tensor(), reals({1, 1, 1.5, 0.6})}), 1e-8) << mode;
  }
  EXPECT_LT(gradient_error({"Upsample"}, {x, reals({1, 1, 2, 2})}), 1e-8);
  const at::Tensor grid = numbers({1, 2, 2, 2}, 1) * 0.9;
  EXPECT_LT(gradient_error({"GridSample"}, {x, grid}), 1e-7);
  EXPECT_LT(gradient_error({"GridSample"}, {x, grid}, 1), 1e-6);
}

TEST(ResizeOps, AgreesWithPyTorchsBilinear) {
  const at::Tensor x = numbers({1, 2, 5, 7});
  const OpCase op{"Resize",
                  {text("mode", "linear"), text("coordinate_transformation_mode", "pytorch_half_pixel")}};
  const at::Tensor sizes = at::tensor({1, 2, 8, 3}, at::kLong);
  const at::Tensor y = run_op(op, {x, at::Tensor(), at::Tensor(), sizes})[0];
  EXPECT_TRUE(at::allclose(y, at::upsample_bilinear2d(x, {8, 3}, false)));
}

TEST(ResizeOps, SizesFollowTheBatch) {
  const onnx::Node resize = node("Resize", {"x", "", "", "s"}, {"y"});
  const at::Tensor sizes = at::tensor({1, 1, 4, 4}, at::kLong);
  const Call call(resize, 17, {at::zeros({3, 1, 2, 2}), at::Tensor(), at::Tensor(), sizes}, {0, 3, 1});
  EXPECT_EQ(find_op(resize)->function(call)[0].sizes().vec(), (Sizes{3, 1, 4, 4}));
}

TEST(ResizeOps, KeepsTheAspectRatioWhenTold) {
  const OpCase op{"Resize", {text("keep_aspect_ratio_policy", "not_larger"), integers("axes", {2, 3})}, 18};
  const at::Tensor sizes = at::tensor({6, 6}, at::kLong);
  EXPECT_EQ(run_op(op, {at::zeros({1, 1, 2, 4}), at::Tensor(), at::Tensor(), sizes})[0].sizes().vec(),
            (Sizes{1, 1, 3, 6}));
}

at::Tensor ramp(std::int64_t size) { return at::arange(size, at::kDouble); }

at::Tensor resized(const at::Tensor& x, double scale, std::vector<onnx::Attribute> how, at::Tensor roi = {}) {
  return run_op({"Resize", std::move(how), 18}, {x, std::move(roi), reals({scale})})[0];
}

onnx::Attribute coordinates(const char* mode) { return text("coordinate_transformation_mode", mode); }

// Linear interpolation of a ramp is the ramp itself, clamped at both ends.
TEST(ResizeOps, LinearKeepsARamp) {
  const auto linear = text("mode", "linear");
  expect_values(resized(ramp(3), 2, {linear}), {6}, {0, 0.25, 0.75, 1.25, 1.75, 2});
  expect_values(resized(ramp(3), 5.0 / 3, {linear, coordinates("align_corners")}), {5}, {0, 0.5, 1, 1.5, 2});
}

TEST(ResizeOps, CubicWeightsAddUpToOne) {
  expect_values(resized(at::ones({5}, at::kDouble), 2.6, {text("mode", "cubic")}), {13},
                std::vector<double>(13, 1));
}

TEST(ResizeOps, NearestModesDifferAtTheHalves) {
  const auto at_half = [](const char* mode) {
    return resized(ramp(3), 2, {coordinates("asymmetric"), text("nearest_mode", mode)})[1].item<double>();
  };
  EXPECT_EQ(at_half("floor"), 0);
  EXPECT_EQ(at_half("ceil"), 1);
  EXPECT_EQ(at_half("round_prefer_floor"), 0);
  EXPECT_EQ(at_half("round_prefer_ceil"), 1);
  EXPECT_THROW(at_half("random"), std::runtime_error);
}

// Shrinking four to two with antialias: a triangle over 2·2 inputs, (1, 3, 3, 1)/8. At the edge the outermost
// pixel is repeated, or left out.
TEST(ResizeOps, AntialiasAveragesWhatItSkips) {
  expect_values(resized(ramp(4), 0.5, {text("mode", "linear"), integer("antialias", 1)}), {2},
                {(0 + 0 * 3 + 1 * 3 + 2) / 8.0, (1 + 2 * 3 + 3 * 3 + 3) / 8.0});
  expect_values(
      resized(ramp(4), 0.5, {text("mode", "linear"), integer("antialias", 1), integer("exclude_outside", 1)}),
      {2}, {(0 * 3 + 1 * 3 + 2) / 7.0, (1 + 2 * 3 + 3 * 3) / 7.0});
}

// Halfway between two voxels the even one is nearest, in each padding mode.
TEST(ResizeOps, VolumesAreSampledAtTheEvenNeighbour) {
  const at::Tensor x = at::arange(4, at::kDouble).reshape({1, 1, 1, 1, 4});
  const auto sampled = [&](double position, const char* padding) {
    const double grid = 2 * position / 3 - 1;
    const at::Tensor at = at::tensor({grid, 0.0, 0.0}, at::kDouble).reshape({1, 1, 1, 1, 3});
    const OpCase op{"GridSample",
                    {text("mode", "nearest"), text("padding_mode", padding), integer("align_corners", 1)},
                    20};
    return run_op(op, {x, at})[0].item<double>();
  };
  EXPECT_EQ(sampled(0.5, "zeros"), 0);
  EXPECT_EQ(sampled(1.5, "zeros"), 2);
  EXPECT_EQ(sampled(2.5, "zeros"), 2);
  EXPECT_EQ(sampled(7, "zeros"), 0);
  EXPECT_EQ(sampled(7, "border"), 3);
  EXPECT_EQ(sampled(3.5, "reflection"), 2);
  EXPECT_EQ(sampled(7, "reflection"), 1);
  EXPECT_THROW(run_op({"GridSample", {text("mode", "fuzzy")}}, {x, x}), std::runtime_error);
}

TEST(ResizeOps, CropsOutsideGetTheExtrapolationValue) {
  expect_values(
      resized(ramp(3), 2.0 / 3,
              {text("mode", "linear"), coordinates("tf_crop_and_resize"), real("extrapolation_value", 9)},
              reals({0.5, 1.5})),
      {2}, {1, 9});
}

TEST(ResizeOps, UnknownCoordinatesAreNamed) {
  EXPECT_THROW(resized(ramp(3), 2, {coordinates("polar")}), std::runtime_error);
}

TEST(ResizeOps, AbsurdScalesAreRefused) {
  EXPECT_THROW(run_op({"Upsample"}, {at::zeros({1, 1, 2, 2}), reals({1, 1, 1e5, 1e5})}), std::runtime_error);
  EXPECT_THROW(run_op({"Upsample"}, {at::zeros({1, 1, 2, 2}), reals({1, 1, -1, 1})}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
