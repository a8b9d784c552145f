#include "plugins/torch/ops/interpolate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace atcav::plugin {
namespace {

// Position in the input that output position i looks at.
double position(std::int64_t i, std::int64_t input, const AxisMap& map, const std::string& coordinates) {
  const auto x = static_cast<double>(i);
  const auto in = static_cast<double>(input);
  // Not rounded down to map.size: that is what ONNX's own tests expect of fractional sizes.
  const double out = map.scale * in;
  if (coordinates == "half_pixel") return (x + 0.5) / map.scale - 0.5;
  if (coordinates == "pytorch_half_pixel") return map.size > 1 ? (x + 0.5) / map.scale - 0.5 : 0;
  if (coordinates == "asymmetric") return x / map.scale;
  if (coordinates == "tf_half_pixel_for_nn") return (x + 0.5) / map.scale;
  if (coordinates == "align_corners") return out > 1 ? x * (in - 1) / (out - 1) : 0;
  if (coordinates == "half_pixel_symmetric") {
    const double shift = in / 2 * (1 - static_cast<double>(map.size) / out);
    return shift + (x + 0.5) / map.scale - 0.5;
  }
  if (coordinates == "tf_crop_and_resize") {
    const double width = map.roi_end - map.roi_begin;
    return map.size > 1
               ? map.roi_begin * (in - 1) + x * width * (in - 1) / (static_cast<double>(map.size) - 1)
               : 0.5 * (map.roi_begin + map.roi_end) * (in - 1);
  }
  throw std::runtime_error(
      fmt::format("[onnx] Resize: coordinate_transformation_mode '{}' is not supported", coordinates));
}

std::int64_t nearest_of(double at, const std::string& mode) {
  if (mode == "floor") return static_cast<std::int64_t>(std::floor(at));
  if (mode == "ceil") return static_cast<std::int64_t>(std::ceil(at));
  if (mode == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(at + 0.5));
  if (mode == "round_prefer_floor") return static_cast<std::int64_t>(std::ceil(at - 0.5));
  throw std::runtime_error(fmt::format("[onnx] Resize: nearest_mode '{}' is not supported", mode));
}

double kernel(const Interpolation& how, double distance) {
  const double t = std::abs(distance);
  if (how.mode == "linear") return std::max(0.0, 1 - t);
  const double a = how.cubic_a;
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  return 0;
}

struct Taps {
  std::vector<std::int64_t> index;
  std::vector<double> weight;
};

Taps taps_at(double at, std::int64_t input, double scale, const Interpolation& how) {
  Taps taps;
  if (how.mode == "nearest") {
    taps.index = {std::clamp<std::int64_t>(nearest_of(at, how.nearest), 0, input - 1)};
    taps.weight = {1};
    return taps;
  }
  // When shrinking with antialias the kernel is stretched over the input.
  const double stretch = how.antialias && scale < 1 ? 1 / scale : 1;
  const double radius = (how.mode == "cubic" ? 2 : 1) * stretch;
  double total = 0;
  const auto first = static_cast<std::int64_t>(std::floor(at - radius)) + 1;
  const auto last = static_cast<std::int64_t>(std::ceil(at + radius)) - 1;
  for (auto i = first; i <= last; ++i) {
    const bool outside = i < 0 || i >= input;
    // A stretched kernel never looks outside, as in Pillow.
    if (outside && (how.exclude_outside || stretch > 1)) continue;
    const double weight = kernel(how, (at - static_cast<double>(i)) / stretch);
    taps.index.push_back(std::clamp<std::int64_t>(i, 0, input - 1));
    taps.weight.push_back(weight);
    total += weight;
  }
  for (double& weight : taps.weight) weight /= total;
  return taps;
}

}  // namespace

at::Tensor interpolate_axis(const at::Tensor& x, std::int64_t axis, const AxisMap& map,
                            const Interpolation& how) {
  const auto input = x.size(axis);
  std::vector<Taps> taps;
  std::vector<bool> outside;
  std::size_t most = 0;
  for (std::int64_t i = 0; i < map.size; ++i) {
    const double at = position(i, input, map, how.coordinates);
    outside.push_back(how.coordinates == "tf_crop_and_resize" &&
                      (at < 0 || at > static_cast<double>(input - 1)));
    taps.push_back(taps_at(at, input, map.scale, how));
    most = std::max(most, taps.back().index.size());
  }
  Sizes shape(static_cast<std::size_t>(x.dim()), 1);
  shape[static_cast<std::size_t>(axis)] = map.size;
  const auto on_axis = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).to(x.device(), x.scalar_type()).reshape(shape);
  };

  at::Tensor y;
  for (std::size_t tap = 0; tap < most; ++tap) {
    std::vector<std::int64_t> index;
    std::vector<double> weight;
    for (const Taps& each : taps) {
      const bool there = tap < each.index.size();
      index.push_back(there ? each.index[tap] : 0);
      weight.push_back(there ? each.weight[tap] : 0);
    }
    at::Tensor part = x.index_select(axis, at::tensor(index, at::kLong).to(x.device()));
    if (how.mode != "nearest") part = part * on_axis(weight);
    y = y.defined() ? y + part : part;
  }
  if (std::find(outside.begin(), outside.end(), true) != outside.end()) {
    const std::vector<double> flags(outside.begin(), outside.end());
    y = y.masked_fill(on_axis(flags) != 0, how.extrapolation);
  }
  return y;
}

}  // namespace atcav::plugin
