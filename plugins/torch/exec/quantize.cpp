#include <cmath>

#include "plugins/torch/exec/mini_float.h"
#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/tensor_torch.h"
#include "plugins/torch/exec/window.h"

// Quantised arithmetic. Sums of integer products are exact in double, so that is how they are computed.
namespace atcav::plugin {
namespace {

// Lines a per-axis scale or zero point up with dimension `axis` of x; one number needs no help, and
// blocks (opset 21) repeat along the axis.
at::Tensor aligned(const Call& call, const at::Tensor& v, const at::Tensor& x) {
  if (v.numel() == 1) return v.reshape({});
  const auto axis = axis_of(call, call.integer("axis", 1), x.dim());
  if (v.dim() == 1) return v.reshape(shape_on_axis(x.dim(), axis, -1));
  const auto block = call.integer("block_size", 0);
  return block > 0 ? v.repeat_interleave(block, axis).narrow(axis, 0, x.size(axis)) : v;
}

at::Tensor saturated(const at::Tensor& x, at::ScalarType type) {
  switch (type) {
    case at::kChar: return x.clamp(-128, 127).to(type);
    case at::kByte: return x.clamp(0, 255).to(type);
    case at::kShort: return x.clamp(-32768, 32767).to(type);
    default: return x.clamp(0, 65535).to(type);
  }
}

// Whole numbers in the range of a narrow type, or real ones rounded to it.
at::Tensor saturated(const at::Tensor& x, onnx::Type type, const Call& call) {
  const at::ScalarType held = scalar_type(type, call.node().title());
  const int bits = narrow_bits(type);
  if (bits == 0) return saturated(x, held);
  const double range = std::ldexp(1.0, bits);
  return held == at::kByte ? x.clamp(0, range - 1).to(held) : x.clamp(-range / 2, range / 2 - 1).to(held);
}

// The type is that of the zero point, or said by an attribute; uint8 otherwise.
Tensors quantize_linear(const Call& call) {
  const at::Tensor& x = call.in(0);
  auto type = static_cast<onnx::Type>(call.integer("output_dtype", 0));
  if (call.has(2)) type = call.narrow_type(2);
  const at::Tensor ratio = x / aligned(call, call.in(1), x);
  if (const MiniFloat* mini = mini_float(type)) return {rounded(ratio, *mini, call.flag("saturate", true))};
  const at::Tensor y = at::round(ratio);
  const at::Tensor moved = call.has(2) ? y + aligned(call, call.in(2), x) : y;
  if (type != onnx::Type::kUndefined) return {saturated(moved, type, call)};
  return {saturated(moved, call.has(2) ? call.in(2).scalar_type() : at::kByte)};
}

at::Tensor shifted(const Call& call, const at::Tensor& x, std::size_t zero_point) {
  const at::Tensor real = x.to(at::kDouble);
  return call.has(zero_point) ? real - aligned(call, call.in(zero_point), x).to(at::kDouble) : real;
}

// Input 3 is ours (see link_quantised): the value before it was quantised, whose gradient passes straight
// through.
Tensors dequantize_linear(const Call& call) {
  const at::Tensor& x = call.in(0);
  const at::Tensor y = (shifted(call, x, 2) * aligned(call, call.in(1), x)).to(call.in(1).scalar_type());
  const at::Tensor before = call.optional_in(3);
  return {before.defined() && before.requires_grad() ? before + (y - before).detach() : y};
}

// To uint8 with a scale chosen so that the range, zero included, just fits.
Tensors dynamic_quantize_linear(const Call& call) {
  const at::Tensor& x = call.in(0);
  const double low = std::min(0.0F, x.min().item<float>());
  const double high = std::max(0.0F, x.max().item<float>());
  const auto scale = static_cast<float>((high - low) / 255);
  const double zero = scale == 0 ? 0 : std::nearbyint(std::clamp(-low / scale, 0.0, 255.0));
  return {saturated(at::round(x / scale) + zero, at::kByte), at::scalar_tensor(scale, x.options()),
          at::scalar_tensor(zero, x.options()).to(at::kByte)};
}

// A number per row of A (second to last dimension) for the zero points of the left operand.
at::Tensor per_row(const at::Tensor& v) { return v.dim() == 1 && v.numel() > 1 ? v.unsqueeze(-1) : v; }

Tensors matmul_integer(const Call& call) {
  at::Tensor a = call.in(0).to(at::kDouble);
  at::Tensor b = call.in(1).to(at::kDouble);
  if (call.has(2)) a = a - per_row(call.in(2)).to(at::kDouble);
  if (call.has(3)) b = b - call.in(3).to(at::kDouble);
  return {at::matmul(a, b).to(at::kInt)};
}

Tensors qlinear_matmul(const Call& call) {
  const at::Tensor a =
      (call.in(0).to(at::kDouble) - per_row(call.in(2))) * per_row(call.in(1)).to(at::kDouble);
  const at::Tensor b = (call.in(3).to(at::kDouble) - call.in(5)) * call.in(4).to(at::kDouble);
  const at::Tensor y = at::round(at::matmul(a, b) / call.in(6).to(at::kDouble)) + call.in(7);
  return {saturated(y, call.in(7).scalar_type())};
}

at::Tensor plain_conv(const Call& call, const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias) {
  const Window window = read_window(call, x, weight.sizes().slice(2).vec());
  const Sizes none(window.rank(), 0);
  return at::convolution(pad_spatial(x, window.begin, window.end, 0), weight, bias, window.stride, none,
                         window.dilation, false, none, call.integer("group", 1));
}

// One number per output channel of the weights.
at::Tensor per_output(const at::Tensor& v, const at::Tensor& weight) {
  return v.reshape(v.numel() == 1 ? Sizes() : shape_on_axis(weight.dim(), 0, -1)).to(at::kDouble);
}

// Output channels × input channels × spatial sizes.
at::Tensor conv_weights(const Call& call, std::size_t i) {
  if (call.in(i).dim() < 3) call.fail("its weights must have at least 3 dimensions");
  return call.in(i).to(at::kDouble);
}

Tensors conv_integer(const Call& call) {
  at::Tensor x = call.in(0).to(at::kDouble);
  at::Tensor weight = conv_weights(call, 1);
  if (call.has(2)) x = x - call.in(2).reshape({}).to(at::kDouble);
  if (call.has(3)) weight = weight - per_output(call.in(3), weight);
  return {plain_conv(call, x, weight, {}).to(at::kInt)};
}

Tensors qlinear_conv(const Call& call) {
  const at::Tensor x =
      (call.in(0).to(at::kDouble) - call.in(2).reshape({})) * call.in(1).reshape({}).to(at::kDouble);
  const at::Tensor weight = conv_weights(call, 3);
  const at::Tensor scale = per_output(call.in(4), weight);
  at::Tensor bias = call.optional_in(8);
  // The bias is in units of the product of both scales.
  if (bias.defined()) bias = bias.to(at::kDouble) * scale.flatten() * call.in(1).reshape({}).to(at::kDouble);
  const at::Tensor y = plain_conv(call, x, (weight - per_output(call.in(5), weight)) * scale, bias);
  const at::Tensor& zero = call.in(7);
  return {saturated(at::round(y / call.in(6).reshape({}).to(at::kDouble)) + zero.reshape({}),
                    zero.scalar_type())};
}

constexpr OpEntry kQuantizeOps[] = {{"ConvInteger", conv_integer, {2, 4}},
                                    {"DequantizeLinear", dequantize_linear, {2, 3}},
                                    {"DynamicQuantizeLinear", dynamic_quantize_linear, {1, 1, 3}},
                                    {"MatMulInteger", matmul_integer, {2, 4}},
                                    {"QLinearConv", qlinear_conv, {8, 9}},
                                    {"QLinearMatMul", qlinear_matmul, {8, 8}},
                                    {"QuantizeLinear", quantize_linear, {2, 3}}};

}  // namespace

std::span<const OpEntry> quantize_ops() { return kQuantizeOps; }

}  // namespace atcav::plugin
