#include "plugins/torch/ops/interpolate.h"

#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using testing_support::expect_values;

at::Tensor ramp(std::int64_t size) { return at::arange(size, at::kDouble); }

// Linear interpolation of a ramp is the ramp itself, clamped at both ends.
TEST(InterpolateAxis, LinearKeepsARamp) {
  const Interpolation how{.mode = "linear"};
  expect_values(interpolate_axis(ramp(3), 0, {6, 2.0}, how), {6}, {0, 0.25, 0.75, 1.25, 1.75, 2});
  const Interpolation corners{.mode = "linear", .coordinates = "align_corners"};
  expect_values(interpolate_axis(ramp(3), 0, {5, 5.0 / 3}, corners), {5}, {0, 0.5, 1, 1.5, 2});
}

TEST(InterpolateAxis, CubicWeightsAddUpToOne) {
  const Interpolation how{.mode = "cubic"};
  expect_values(interpolate_axis(at::ones({5}, at::kDouble), 0, {13, 2.6}, how), {13},
                std::vector<double>(13, 1));
}

TEST(InterpolateAxis, NearestModesDifferAtTheHalves) {
  const auto at_half = [](const char* mode) {
    const Interpolation how{.mode = "nearest", .coordinates = "asymmetric", .nearest = mode};
    return interpolate_axis(ramp(3), 0, {6, 2.0}, how)[1].item<double>();
  };
  EXPECT_EQ(at_half("floor"), 0);
  EXPECT_EQ(at_half("ceil"), 1);
  EXPECT_EQ(at_half("round_prefer_floor"), 0);
  EXPECT_EQ(at_half("round_prefer_ceil"), 1);
  EXPECT_THROW(at_half("random"), std::runtime_error);
}

// Shrinking four to two with antialias: a triangle over 2·2 inputs, (1, 3, 3, 1)/8 inside, cut at the edge.
TEST(InterpolateAxis, AntialiasAveragesWhatItSkips) {
  const Interpolation how{.mode = "linear", .antialias = true};
  expect_values(interpolate_axis(ramp(4), 0, {2, 0.5}, how), {2},
                {(0 * 3 + 1 * 3 + 2) / 7.0, (1 + 2 * 3 + 3 * 3) / 7.0});
}

TEST(InterpolateAxis, CropsOutsideGetTheExtrapolationValue) {
  const Interpolation how{.mode = "linear", .coordinates = "tf_crop_and_resize", .extrapolation = 9};
  expect_values(interpolate_axis(ramp(3), 0, {2, 2.0 / 3, 0.5, 1.5}, how), {2}, {1, 9});
}

TEST(InterpolateAxis, UnknownCoordinatesAreNamed) {
  const Interpolation how{.coordinates = "polar"};
  EXPECT_THROW(interpolate_axis(ramp(3), 0, {2, 1.0}, how), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
