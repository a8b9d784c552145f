#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plugins/torch/ops/interpolate.h"
#include "plugins/torch/ops/table.h"

// Images in other sizes: Resize, Upsample, GridSample.
namespace atcav::plugin {
namespace {

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
  call.check_size(shape);
  for (std::int64_t axis = 0; axis < y.dim(); ++axis) {
    const AxisMap& map = maps[static_cast<std::size_t>(axis)];
    const bool cropped = how.coordinates == "tf_crop_and_resize" && (map.roi_begin != 0 || map.roi_end != 1);
    if (map.size == y.size(axis) && map.scale == 1 && !cropped) continue;
    y = interpolate_axis(y, axis, map, how);
  }
  return {whole ? y.to(call.in(0).scalar_type()) : y};
}

std::vector<AxisMap> maps_from_scales(const Call& call, const std::vector<double>& scales,
                                      const Sizes& axes) {
  const at::Tensor& x = call.in(0);
  if (scales.size() != axes.size()) call.fail("scales have the wrong length");
  std::vector<AxisMap> maps;
  for (const auto size : x.sizes()) maps.push_back({size});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = call.axis(axes[i], x.dim());
    if (!(scales[i] > 0) || scales[i] > 1e6) call.fail(fmt::format("scale is {}", scales[i]));
    auto& map = maps[static_cast<std::size_t>(axis)];
    map.scale = scales[i];
    map.size = static_cast<std::int64_t>(std::floor(static_cast<double>(x.size(axis)) * scales[i]));
  }
  return maps;
}

std::vector<AxisMap> maps_from_sizes(const Call& call, Sizes sizes, const Sizes& axes) {
  const at::Tensor& x = call.in(0);
  if (sizes.size() != axes.size()) call.fail("sizes have the wrong length");
  const BatchScale& batch = call.scale();
  if (batch.dim >= 0 && axes.size() == static_cast<std::size_t>(x.dim())) {
    auto& size = sizes[static_cast<std::size_t>(batch.dim)];
    size = size * batch.batch / batch.base;
  }
  std::vector<AxisMap> maps;
  for (const auto size : x.sizes()) maps.push_back({size});
  std::vector<double> scales;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto size = x.size(call.axis(axes[i], x.dim()));
    if (sizes[i] < 1) call.fail(fmt::format("size is {}", sizes[i]));
    scales.push_back(static_cast<double>(sizes[i]) / static_cast<double>(size));
  }
  const std::string policy = call.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && !scales.empty()) {
    const double scale = policy == "not_larger" ? *std::min_element(scales.begin(), scales.end())
                                                : *std::max_element(scales.begin(), scales.end());
    for (std::size_t i = 0; i < axes.size(); ++i) {
      scales[i] = scale;
      sizes[i] = std::lround(scale * static_cast<double>(x.size(call.axis(axes[i], x.dim()))));
    }
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    auto& map = maps[static_cast<std::size_t>(call.axis(axes[i], x.dim()))];
    map.size = sizes[i];
    map.scale = scales[i];
  }
  return maps;
}

Tensors resize(const Call& call) {
  const at::Tensor& x = call.in(0);
  Sizes axes(static_cast<std::size_t>(x.dim()));
  std::iota(axes.begin(), axes.end(), 0);
  axes = call.integers("axes", axes);
  Interpolation how;
  how.mode = call.text("mode", "nearest");
  if (how.mode != "nearest" && how.mode != "linear" && how.mode != "cubic") {
    call.fail("attribute 'mode' is '" + how.mode + "'");
  }
  if (call.opset() < 11) {
    how.coordinates = "asymmetric";
    how.nearest = "floor";
    return resized(call, maps_from_scales(call, reals_in(call, 1), axes), how);
  }
  how.coordinates = call.text("coordinate_transformation_mode", "half_pixel");
  how.nearest = call.text("nearest_mode", "round_prefer_floor");
  how.cubic_a = call.real("cubic_coeff_a", -0.75);
  how.exclude_outside = call.integer("exclude_outside", 0) != 0;
  how.antialias = call.integer("antialias", 0) != 0;
  how.extrapolation = call.real("extrapolation_value", 0);
  const std::vector<double> scales = reals_in(call, 2);
  auto maps = scales.empty() ? maps_from_sizes(call, call.integers_in(3), axes)
                             : maps_from_scales(call, scales, axes);
  const std::vector<double> roi = reals_in(call, 1);
  if (how.coordinates == "tf_crop_and_resize") {
    if (roi.size() != 2 * axes.size()) call.fail("input 1 (roi) has the wrong length");
    for (std::size_t i = 0; i < axes.size(); ++i) {
      auto& map = maps[static_cast<std::size_t>(call.axis(axes[i], x.dim()))];
      map.roi_begin = roi[i];
      map.roi_end = roi[i + axes.size()];
    }
  }
  return resized(call, std::move(maps), how);
}

Tensors upsample(const Call& call) {
  Sizes axes(static_cast<std::size_t>(call.in(0).dim()));
  std::iota(axes.begin(), axes.end(), 0);
  Interpolation how;
  how.mode = call.text("mode", "nearest");
  how.coordinates = "asymmetric";
  how.nearest = "floor";
  if (how.mode != "nearest") how.mode = "linear";
  std::vector<double> scales = call.has(1) ? reals_in(call, 1) : call.reals("scales");
  return resized(call, maps_from_scales(call, scales, axes), how);
}

Tensors grid_sample(const Call& call) {
  const std::string mode = call.text("mode", "bilinear");
  const std::string padding = call.text("padding_mode", "zeros");
  const std::int64_t mode_number = mode == "nearest" ? 1 : mode == "bicubic" || mode == "cubic" ? 2 : 0;
  const std::int64_t padding_number = padding == "border" ? 1 : padding == "reflection" ? 2 : 0;
  return {at::grid_sampler(call.in(0), call.in(1), mode_number, padding_number,
                           call.integer("align_corners", 0) != 0)};
}

constexpr OpEntry kOps[] = {{"GridSample", grid_sample},
                            {"Resize", resize, Arguments::kOnHost},
                            {"Upsample", upsample, Arguments::kOnHost}};

}  // namespace

std::span<const OpEntry> resize_ops() { return kOps; }

}  // namespace atcav::plugin
