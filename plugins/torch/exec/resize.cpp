#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plugins/torch/exec/table.h"

// Images in other sizes: Resize, Upsample, GridSample. Resizing is separable, so it is done axis by axis:
// each output position is a weighted sum of a few input positions ("taps").
namespace atcav::plugin {
namespace {

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
    if (outside && how.exclude_outside) continue;
    const double weight = kernel(how, (at - static_cast<double>(i)) / stretch);
    taps.index.push_back(std::clamp<std::int64_t>(i, 0, input - 1));
    taps.weight.push_back(weight);
    total += weight;
  }
  for (double& weight : taps.weight) weight /= total;
  return taps;
}

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
  const Sizes shape = shape_on_axis(x.dim(), axis, map.size);
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
  if (std::ranges::find(outside, true) != outside.end()) {
    const std::vector<double> flags(outside.begin(), outside.end());
    y = y.masked_fill(on_axis(flags) != 0, how.extrapolation);
  }
  return y;
}

std::vector<double> reals_in(const Call& call, std::size_t i) {
  if (!call.has(i)) return {};
  const at::Tensor list = call.in(i).detach().to(at::kCPU, at::kDouble).contiguous();
  return {list.data_ptr<double>(), list.data_ptr<double>() + list.numel()};
}

Tensors resized(const Call& call, std::vector<AxisMap> maps, const Interpolation& how) {
  at::Tensor y = call.in(0);
  const bool whole = at::isIntegralType(y.scalar_type(), true);
  if (whole) y = y.to(at::kFloat);
  Sizes shape;
  for (const AxisMap& map : maps) shape.push_back(map.size);
  check_size(call, shape);
  for (std::int64_t axis = 0; axis < y.dim(); ++axis) {
    const AxisMap& map = maps[axis];
    const bool cropped = how.coordinates == "tf_crop_and_resize" && (map.roi_begin != 0 || map.roi_end != 1);
    if (map.size == y.size(axis) && map.scale == 1 && !cropped) continue;
    y = interpolate_axis(y, axis, map, how);
  }
  return {whole ? y.to(call.in(0).scalar_type()) : y};
}

std::vector<AxisMap> unchanged(const at::Tensor& x) {
  std::vector<AxisMap> maps;
  for (const auto size : x.sizes()) maps.push_back({size});
  return maps;
}

std::vector<AxisMap> maps_from_scales(const Call& call, const std::vector<double>& scales,
                                      const Sizes& axes) {
  const at::Tensor& x = call.in(0);
  if (scales.size() != axes.size()) call.fail("scales have the wrong length");
  std::vector<AxisMap> maps = unchanged(x);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = axis_of(call, axes[i], x.dim());
    if (!(scales[i] > 0) || scales[i] > 1e6) call.fail("scale is {}", scales[i]);
    maps[axis] = {static_cast<std::int64_t>(std::floor(static_cast<double>(x.size(axis)) * scales[i])),
                  scales[i]};
  }
  return maps;
}

std::vector<AxisMap> maps_from_sizes(const Call& call, Sizes sizes, const Sizes& axes) {
  const at::Tensor& x = call.in(0);
  if (sizes.size() != axes.size()) call.fail("sizes have the wrong length");
  const BatchScale& batch = call.scale();
  if (batch.dim >= 0 && axes.size() == static_cast<std::size_t>(x.dim())) {
    auto& size = sizes[batch.dim];
    size = size * batch.batch / batch.base;
  }
  std::vector<double> scales;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto size = x.size(axis_of(call, axes[i], x.dim()));
    if (sizes[i] < 1) call.fail("size is {}", sizes[i]);
    scales.push_back(static_cast<double>(sizes[i]) / static_cast<double>(size));
  }
  const std::string policy =
      call.choice("keep_aspect_ratio_policy", {"stretch", "not_larger", "not_smaller"});
  if (policy != "stretch" && !scales.empty()) {
    const double scale =
        policy == "not_larger" ? *std::ranges::min_element(scales) : *std::ranges::max_element(scales);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      scales[i] = scale;
      sizes[i] = std::lround(scale * static_cast<double>(x.size(axis_of(call, axes[i], x.dim()))));
    }
  }
  std::vector<AxisMap> maps = unchanged(x);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    maps[axis_of(call, axes[i], x.dim())] = {sizes[i], scales[i]};
  }
  return maps;
}

Tensors resize(const Call& call) {
  const at::Tensor& x = call.in(0);
  const Sizes axes = call.integers("axes", first_axes(x.dim()));
  Interpolation how;
  how.mode = call.choice("mode", {"nearest", "linear", "cubic"});
  if (call.opset() < 11) {
    how.coordinates = "asymmetric";
    how.nearest = "floor";
    return resized(call, maps_from_scales(call, reals_in(call, 1), axes), how);
  }
  how.coordinates = call.text("coordinate_transformation_mode", "half_pixel");
  how.nearest = call.text("nearest_mode", "round_prefer_floor");
  how.cubic_a = call.real("cubic_coeff_a", -0.75);
  how.exclude_outside = call.flag("exclude_outside");
  how.antialias = call.flag("antialias");
  how.extrapolation = call.real("extrapolation_value", 0);
  const std::vector<double> scales = reals_in(call, 2);
  auto maps = scales.empty() ? maps_from_sizes(call, call.integers_in(3), axes)
                             : maps_from_scales(call, scales, axes);
  const std::vector<double> roi = reals_in(call, 1);
  if (how.coordinates == "tf_crop_and_resize") {
    if (roi.size() != 2 * axes.size()) call.fail("input 1 (roi) has the wrong length");
    for (std::size_t i = 0; i < axes.size(); ++i) {
      auto& map = maps[axis_of(call, axes[i], x.dim())];
      map.roi_begin = roi[i];
      map.roi_end = roi[i + axes.size()];
    }
  }
  return resized(call, std::move(maps), how);
}

Tensors upsample(const Call& call) {
  Interpolation how;
  how.mode = call.choice("mode", {"nearest", "linear", "bilinear"});
  how.coordinates = "asymmetric";
  how.nearest = "floor";
  if (how.mode == "bilinear") how.mode = "linear";
  std::vector<double> scales = call.has(1) ? reals_in(call, 1) : call.reals("scales");
  return resized(call, maps_from_scales(call, scales, first_axes(call.in(0).dim())), how);
}

// Pixel positions on one axis that a grid of numbers from −1 to 1 points at, brought inside.
at::Tensor grid_positions(const at::Tensor& grid, std::int64_t size, const std::string& padding,
                          bool corners) {
  const auto n = static_cast<double>(size);
  at::Tensor at = corners ? (grid + 1) * ((n - 1) / 2) : ((grid + 1) * n - 1) / 2;
  if (padding == "zeros") return at;
  if (padding == "reflection") {
    const double low = corners ? 0 : -0.5;
    const double span = corners ? n - 1 : n;
    if (span == 0) return at::zeros_like(at);
    const at::Tensor beyond = (at - low).abs();
    const at::Tensor rest = beyond.fmod(span);
    const at::Tensor back = at::floor(beyond / span).remainder(2) != 0;
    at = at::where(back, span - rest, rest) + low;
  }
  return at.clamp(0, n - 1);
}

Tensors grid_sample(const Call& call) {
  const at::Tensor& x = call.in(0);
  at::Tensor grid = call.in(1);
  const std::string mode = call.choice(
      "mode", call.opset() < 20 ? std::initializer_list<std::string_view>{"bilinear", "nearest", "bicubic"}
                                : std::initializer_list<std::string_view>{"linear", "nearest", "cubic"});
  const std::string padding = call.choice("padding_mode", {"zeros", "border", "reflection"});
  const bool corners = call.flag("align_corners");
  if (mode == "nearest" && x.dim() == 5 && grid.dim() == 5) {
    // LibTorch rounds halves away from zero here, the format to the even neighbour: rounded before.
    Tensors axes;
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto size = x.size(4 - i);
      const at::Tensor place = at::round(grid_positions(grid.select(-1, i), size, padding, corners));
      axes.push_back((2 * place + 1) / static_cast<double>(size) - 1);
    }
    return {at::grid_sampler(x, at::stack(axes, -1), 1, 0, false)};
  }
  const std::int64_t mode_number = mode == "nearest" ? 1 : mode == "bicubic" || mode == "cubic" ? 2 : 0;
  const std::int64_t padding_number = padding == "border" ? 1 : padding == "reflection" ? 2 : 0;
  return {at::grid_sampler(x, grid, mode_number, padding_number, corners)};
}

constexpr OpEntry kResizeOps[] = {{"GridSample", grid_sample, {2, 2}},
                                  {"Resize", resize, {1, 4}, kHost},
                                  {"Upsample", upsample, {1, 2}, kHost}};

}  // namespace

std::span<const OpEntry> resize_ops() { return kResizeOps; }

}  // namespace atcav::plugin
