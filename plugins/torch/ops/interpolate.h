#pragma once

#include <string>

#include "plugins/torch/ops/call.h"

// Interpolation along one axis, in all the ways ONNX's Resize knows. Resizing is separable, so this is
// done axis by axis: each output position is a weighted sum of a few input positions ("taps").
namespace atcav::plugin {

struct Interpolation {
  std::string mode = "nearest";  // nearest, linear, cubic
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  double cubic_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
  double extrapolation = 0;  // for tf_crop_and_resize
};

struct AxisMap {
  std::int64_t size = 0;  // of the output
  double scale = 1;       // output / input
  double roi_begin = 0;   // tf_crop_and_resize: the part of the input, from 0 to 1
  double roi_end = 1;
};

at::Tensor interpolate_axis(const at::Tensor& x, std::int64_t axis, const AxisMap& map,
                            const Interpolation& interpolation);

}  // namespace atcav::plugin
