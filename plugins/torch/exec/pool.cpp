#include <algorithm>
#include <limits>

#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/window.h"

// Pooling with every combination of padding, ceil_mode, dilations and count_include_pad. ATen's pools
// take the common cases; the rest is padded by hand first.
namespace atcav::plugin {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Extra padding at the end that makes room for the last window of ceil_mode. As in PyTorch (and ONNX
// Runtime), a window must begin inside the input or its left padding.
Sizes ceil_extra(const Call& call, const Window& window, const at::Tensor& x) {
  Sizes extra(window.rank(), 0);
  if (!call.flag("ceil_mode")) return extra;
  for (std::size_t i = 0; i < window.rank(); ++i) {
    const auto size = x.size(static_cast<std::int64_t>(i) + 2);
    const auto room = size + window.begin[i] + window.end[i];
    auto last = (room - window.span(i) + window.stride[i] - 1) / window.stride[i];
    if (last * window.stride[i] >= size + window.begin[i]) --last;
    extra[i] = std::max<std::int64_t>(0, last * window.stride[i] + window.span(i) - room);
  }
  return extra;
}

Sizes plus(const Sizes& a, const Sizes& b) {
  Sizes sum = a;
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] += b[i];
  return sum;
}

// ATen wants the same padding on both sides, and at most half a kernel of it.
bool simple(const Window& window) {
  if (!window.symmetric()) return false;
  for (std::size_t i = 0; i < window.rank(); ++i) {
    if (window.begin[i] > window.kernel[i] / 2) return false;
  }
  return true;
}

std::tuple<at::Tensor, at::Tensor> max_pool_aten(const at::Tensor& x, const Window& w, const Sizes& pad,
                                                 bool ceil) {
  switch (w.rank()) {
    case 1: return at::max_pool1d_with_indices(x, w.kernel, w.stride, pad, w.dilation, ceil);
    case 2: return at::max_pool2d_with_indices(x, w.kernel, w.stride, pad, w.dilation, ceil);
    default: return at::max_pool3d_with_indices(x, w.kernel, w.stride, pad, w.dilation, ceil);
  }
}

// ATen counts within one (padded) plane; ONNX counts through the whole tensor, optionally column first.
at::Tensor onnx_indices(const Call& call, const at::Tensor& found, const at::Tensor& x, const Sizes& padded,
                        const Sizes& begin) {
  const std::size_t rank = begin.size();
  const bool column_major = call.flag("storage_order");
  at::Tensor rest = found;
  at::Tensor index = at::zeros_like(found);
  std::int64_t plane = 1;
  for (std::size_t i = 0; i < rank; ++i) plane *= x.size(static_cast<std::int64_t>(i) + 2);
  std::int64_t row_stride = 1;
  for (std::size_t i = rank; i-- > 0;) {
    const auto size = x.size(static_cast<std::int64_t>(i) + 2);
    const at::Tensor position = rest.remainder(padded[i]) - begin[i];
    rest = rest.div(padded[i], "floor");
    std::int64_t stride = row_stride;
    if (column_major) {
      stride = 1;
      for (std::size_t j = 0; j < i; ++j) stride *= x.size(static_cast<std::int64_t>(j) + 2);
    }
    index = index + position * stride;
    row_stride *= size;
  }
  Sizes planes(rank + 2, 1);
  planes[0] = x.size(0);
  planes[1] = x.size(1);
  return index + at::arange(x.size(0) * x.size(1), index.options()).reshape(planes) * plane;
}

Tensors max_pool(const Call& call) {
  const at::Tensor& given = call.in(0);
  const bool whole = at::isIntegralType(given.scalar_type(), true);
  const at::Tensor x = whole ? given.to(at::kFloat) : given;
  const Window window = read_window(call, x, {});
  const bool ceil = call.flag("ceil_mode");
  const Sizes none(window.rank(), 0);
  const bool is_simple = simple(window);
  const at::Tensor padded =
      is_simple ? x : pad_spatial(x, window.begin, plus(window.end, ceil_extra(call, window, x)), -kInfinity);
  const bool with_indices = call.node().outputs.size() > 1;
  if (!with_indices && window.rank() == 2) {
    const at::Tensor y = at::max_pool2d(padded, window.kernel, window.stride, is_simple ? window.begin : none,
                                        window.dilation, is_simple && ceil);
    return {y.to(given.scalar_type())};
  }
  auto [y, indices] = max_pool_aten(padded, window, is_simple ? window.begin : none, is_simple && ceil);
  if (whole) y = y.to(given.scalar_type());
  if (!with_indices) return {y};
  return {y, onnx_indices(call, indices, x, padded.sizes().slice(2).vec(), is_simple ? none : window.begin)};
}

// Sum over each window, as a convolution with ones: the one form that knows dilations.
at::Tensor window_sums(const at::Tensor& x, const Window& window) {
  const Sizes none(window.rank(), 0);
  Sizes planes = x.sizes().vec();
  planes[0] = x.size(0) * x.size(1);
  planes[1] = 1;
  Sizes kernel = {1, 1};
  kernel.insert(kernel.end(), window.kernel.begin(), window.kernel.end());
  const at::Tensor sums = at::convolution(x.reshape(planes), at::ones(kernel, x.options()), {}, window.stride,
                                          none, window.dilation, false, none, 1);
  Sizes shape = sums.sizes().vec();
  shape[0] = x.size(0);
  shape[1] = x.size(1);
  return sums.reshape(shape);
}

Tensors average_pool(const Call& call) {
  const at::Tensor& x = call.in(0);
  const Window window = read_window(call, x, {});
  const bool ceil = call.flag("ceil_mode");
  const bool with_pad = call.flag("count_include_pad");
  const bool dilated = std::ranges::any_of(window.dilation, [](std::int64_t d) { return d != 1; });
  if (simple(window) && !dilated) {
    switch (window.rank()) {
      case 1: return {at::avg_pool1d(x, window.kernel, window.stride, window.begin, ceil, with_pad)};
      case 2: return {at::avg_pool2d(x, window.kernel, window.stride, window.begin, ceil, with_pad)};
      default: return {at::avg_pool3d(x, window.kernel, window.stride, window.begin, ceil, with_pad)};
    }
  }
  const Sizes extra = ceil_extra(call, window, x);
  const Sizes none(window.rank(), 0);
  Sizes one_plane = x.sizes().vec();
  one_plane[0] = one_plane[1] = 1;
  at::Tensor counted =
      pad_spatial(at::ones(one_plane, x.options()), window.begin, window.end, with_pad ? 1 : 0);
  counted = window_sums(pad_spatial(counted, none, extra, 0), window);
  return {window_sums(pad_spatial(x, window.begin, plus(window.end, extra), 0), window) / counted};
}

Tensors lp_pool(const Call& call) {
  const at::Tensor& x = call.in(0);
  const Window window = read_window(call, x, {});
  const auto p = static_cast<double>(call.integer("p", 2));
  const at::Tensor padded = pad_spatial(x, window.begin, plus(window.end, ceil_extra(call, window, x)), 0);
  return {window_sums(padded.abs().pow(p), window).pow(1 / p)};
}

Sizes spatial_dims(const Call& call) {
  Sizes dims;
  for (std::int64_t i = 2; i < call.in(0).dim(); ++i) dims.push_back(i);
  if (dims.empty()) call.fail("input has no spatial dimensions");
  return dims;
}

// Contiguous, so that every channel is summed in the same order whatever the memory layout.
Tensors global_average_pool(const Call& call) {
  return {call.in(0).contiguous().mean(spatial_dims(call), true)};
}
Tensors global_max_pool(const Call& call) { return {call.in(0).amax(spatial_dims(call), true)}; }

Tensors global_lp_pool(const Call& call) {
  const auto p = static_cast<double>(call.integer("p", 2));
  return {call.in(0).abs().pow(p).sum(spatial_dims(call), true).pow(1 / p)};
}

// Puts values back where MaxPool found them. The indices refer to the shape that the attributes imply;
// a larger output_shape adds zeros at the end.
Tensors max_unpool(const Call& call) {
  const at::Tensor& x = call.in(0);
  const Window window = read_window(call, x, {});
  Sizes shape = x.sizes().vec();
  std::int64_t count = shape[0] * shape[1];
  for (std::size_t i = 0; i < window.rank(); ++i) {
    shape[i + 2] = (shape[i + 2] - 1) * window.stride[i] + window.kernel[i] - window.begin[i] - window.end[i];
    count *= shape[i + 2];
  }
  const at::Tensor flat = at::zeros({count}, x.options());
  at::Tensor y = flat.scatter(0, call.in(1).flatten(), x.flatten()).reshape(shape);
  if (call.has(2)) {
    const Sizes wanted = call.integers_in(2);
    if (wanted.size() != shape.size()) call.fail("input 2 (output_shape) has the wrong length");
    Sizes end(window.rank());
    for (std::size_t i = 0; i < end.size(); ++i) end[i] = wanted[i + 2] - shape[i + 2];
    y = pad_spatial(y, Sizes(window.rank(), 0), end, 0);
  }
  return {y};
}

constexpr OpEntry kPoolOps[] = {{"AveragePool", average_pool},
                                {"GlobalAveragePool", global_average_pool},
                                {"GlobalLpPool", global_lp_pool},
                                {"GlobalMaxPool", global_max_pool},
                                {"LpPool", lp_pool},
                                {"MaxPool", max_pool, {1, 1, 2}},
                                {"MaxUnpool", max_unpool, {2, 3}}};

}  // namespace

std::span<const OpEntry> pool_ops() { return kPoolOps; }

}  // namespace atcav::plugin
