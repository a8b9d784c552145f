#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/window.h"

// Convolutions that are no plain ones: at places that the network chooses, and along a stream.
namespace atcav::plugin {
namespace {

// x at these rows and columns (groups × heights × widths each), between pixels as a mean of four; zero
// outside. x: groups × channels × image.
at::Tensor sampled(const at::Tensor& x, const at::Tensor& rows, const at::Tensor& columns) {
  const auto on_grid = [](const at::Tensor& at, std::int64_t size) {
    return (2 * at + 1) / static_cast<double>(size) - 1;
  };
  const at::Tensor grid = at::stack({on_grid(columns, x.size(3)), on_grid(rows, x.size(2))}, -1);
  return at::grid_sampler(x, grid, /*bilinear*/ 0, /*zeros*/ 0, /*align_corners=*/false);
}

// Inputs: x, weights, an offset (down, right) for each element of the kernel and each place of the result,
// bias, and a factor for each offset.
Tensors deform_conv(const Call& call) {
  const at::Tensor& x = call.in(0);
  const at::Tensor& weight = call.in(1);
  if (x.dim() != 4 || weight.dim() != 4) call.fail("only images (four dimensions) are supported");
  const Window window = read_window(call, x, weight.sizes().slice(2).vec());
  const auto groups = call.integer("group", 1);
  const auto sets = call.integer("offset_group", 1);
  const auto elements = window.kernel[0] * window.kernel[1];
  const auto batch = x.size(0), channels = x.size(1), outputs = weight.size(0);
  const auto height = (x.size(2) + window.begin[0] + window.end[0] - window.span(0)) / window.stride[0] + 1;
  const auto width = (x.size(3) + window.begin[1] + window.end[1] - window.span(1)) / window.stride[1] + 1;
  if (groups < 1 || sets < 1 || channels % groups != 0 || channels % sets != 0 || outputs % groups != 0 ||
      weight.size(1) != channels / groups)
    call.fail("groups do not divide the channels");
  if (call.in(2).sizes() != Sizes{batch, sets * elements * 2, height, width})
    call.fail("input 2 (offset) has the wrong shape");
  const at::Tensor offset = call.in(2).reshape({batch * sets, elements, 2, height, width});
  const at::Tensor image = x.reshape({batch * sets, channels / sets, x.size(2), x.size(3)});
  const at::Tensor factor =
      call.has(4) ? call.in(4).reshape({batch * sets, elements, height, width}) : at::Tensor();
  const at::Tensor down = at::arange(height, x.options()).reshape({-1, 1}) * window.stride[0];
  const at::Tensor right = at::arange(width, x.options()) * window.stride[1];
  Tensors columns;
  for (std::int64_t e = 0; e < elements; ++e) {
    const auto row = e / window.kernel[1] * window.dilation[0] - window.begin[0];
    const auto column = e % window.kernel[1] * window.dilation[1] - window.begin[1];
    at::Tensor values = sampled(image, offset.select(1, e).select(1, 0) + down + row,
                                offset.select(1, e).select(1, 1) + right + column);
    if (factor.defined()) values = values * factor.select(1, e).unsqueeze(1);
    columns.push_back(values.reshape({batch, channels, height * width}));
  }
  // batch × groups × (channels of a group · elements) × places
  const at::Tensor seen = at::stack(columns, 2).reshape({batch, groups, -1, height * width});
  at::Tensor y = at::matmul(weight.reshape({groups, outputs / groups, -1}), seen)
                     .reshape({batch, outputs, height, width});
  if (call.has(3)) y = y + call.in(3).reshape({1, -1, 1, 1});
  return {y};
}

// A filter per channel that sees the past alone; what it needs of the past comes from the state, or is zero.
Tensors causal_conv(const Call& call) {
  const at::Tensor& x = call.in(0);
  const at::Tensor& weight = call.in(1);
  const std::string activation = call.choice("activation", {"none", "silu", "swish"});
  if (x.dim() != 3 || weight.dim() != 3) call.fail("input and weights must have three dimensions");
  const auto past = weight.size(2) - 1;
  const at::Tensor padded =
      at::cat({call.has(3) ? call.in(3) : at::zeros({x.size(0), x.size(1), past}, x.options()), x}, 2);
  const at::Tensor y =
      at::convolution(padded, weight, call.optional_in(2), {1}, {0}, {1}, false, {0}, x.size(1));
  return {activation == "none" ? y : at::silu(y), padded.narrow(2, padded.size(2) - past, past)};
}

constexpr OpEntry kDeformOps[] = {{"CausalConvWithState", causal_conv, {2, 4, 2}},
                                  {"DeformConv", deform_conv, {3, 5}}};

}  // namespace

std::span<const OpEntry> deform_ops() { return kDeformOps; }

}  // namespace atcav::plugin
