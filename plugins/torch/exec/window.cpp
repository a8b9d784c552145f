#include "plugins/torch/exec/window.h"

#include <algorithm>

namespace atcav::plugin {
namespace {

Sizes checked(const Call& call, std::string_view name, std::size_t length, std::int64_t otherwise,
              std::int64_t least) {
  Sizes values = call.integers(name, Sizes(length, otherwise));
  if (values.size() != length) {
    call.fail("attribute '{}' has {} numbers, must have {}", name, values.size(), length);
  }
  for (const auto value : values) {
    constexpr std::int64_t kMost = 1 << 24;
    if (value < least || value > kMost) {
      call.fail("attribute '{}' has the value {}, must be >= {}", name, value, least);
    }
  }
  return values;
}

}  // namespace

Window read_window(const Call& call, const at::Tensor& x, Sizes kernel) {
  Window window;
  window.kernel = call.has_attribute("kernel_shape") ? call.integers("kernel_shape") : std::move(kernel);
  const std::size_t rank = window.rank();
  if (x.dim() != static_cast<std::int64_t>(rank) + 2 || rank < 1 || rank > 3) {
    call.fail("input has the shape {} but the kernel {} dimensions", onnx::shape_text(x.sizes().vec()), rank);
  }
  for (const auto size : window.kernel) {
    if (size < 1) call.fail("kernel has the size {}", size);
  }
  window.stride = checked(call, "strides", rank, 1, 1);
  window.dilation = checked(call, "dilations", rank, 1, 1);
  const Sizes pads = checked(call, "pads", 2 * rank, 0, 0);
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(rank);
  window.begin.assign(pads.begin(), middle);
  window.end.assign(middle, pads.end());

  const std::string mode = call.text("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) return window;
  if (mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    call.fail("attribute 'auto_pad' is '{}'", mode);
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const auto size = x.size(static_cast<std::int64_t>(i) + 2);
    const auto outputs = (size + window.stride[i] - 1) / window.stride[i];
    const auto total =
        mode == "VALID" ? 0
                        : std::max<std::int64_t>(0, (outputs - 1) * window.stride[i] + window.span(i) - size);
    // The odd one goes to the end for SAME_UPPER, to the beginning for SAME_LOWER.
    window.begin[i] = mode == "SAME_LOWER" ? total - total / 2 : total / 2;
    window.end[i] = total - window.begin[i];
  }
  return window;
}

at::Tensor pad_spatial(const at::Tensor& x, const Sizes& begin, const Sizes& end, double value) {
  Sizes pads;
  bool any = false;
  for (std::size_t i = begin.size(); i-- > 0;) {
    pads.push_back(begin[i]);
    pads.push_back(end[i]);
    any = any || begin[i] != 0 || end[i] != 0;
  }
  return any ? at::constant_pad_nd(x, pads, value) : x;
}

}  // namespace atcav::plugin
