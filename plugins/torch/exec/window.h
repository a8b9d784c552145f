#pragma once

#include "plugins/torch/exec/call.h"

// The sliding window that convolutions and pools share: kernel, strides, dilations and padding of each
// spatial dimension, with auto_pad resolved.
namespace atcav::plugin {

struct Window {
  Sizes kernel, stride, dilation, begin, end;  // begin, end: padding on either side
  std::size_t rank() const { return kernel.size(); }
  // Input positions that the kernel spans in dimension i.
  std::int64_t span(std::size_t i) const { return (kernel[i] - 1) * dilation[i] + 1; }
  bool symmetric() const { return begin == end; }
};

// Reads kernel_shape (or takes `kernel`), strides, dilations, pads and auto_pad; x is N×C×spatial.
Window read_window(const Call& call, const at::Tensor& x, Sizes kernel);

// x with begin + end padding in its last dimensions; negative numbers cut off.
at::Tensor pad_spatial(const at::Tensor& x, const Sizes& begin, const Sizes& end, double value);

}  // namespace atcav::plugin
