#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/tensor_torch.h"

// Element by element: functions of one tensor, of several with NumPy's broadcasting, activation functions.
namespace atcav::plugin {
namespace {

// Most of these are one ATen call.
template <at::Tensor (*function)(const at::Tensor&)>
Tensors unary(const Call& call) {
  return {function(call.in(0))};
}

Tensors is_inf(const Call& call) {
  const at::Tensor& x = call.in(0);
  at::Tensor found = at::zeros_like(x, x.options().dtype(at::kBool));
  if (call.flag("detect_positive", true)) found = found.logical_or(at::isposinf(x));
  if (call.flag("detect_negative", true)) found = found.logical_or(at::isneginf(x));
  return {found};
}

// Before opset 7 the second operand was lined up with the first at attribute `axis`.
at::Tensor second(const Call& call) {
  const at::Tensor& b = call.in(1);
  if (call.opset() >= 7 || !call.flag("broadcast") || !call.has_attribute("axis")) return b;
  const auto rank = call.in(0).dim();
  const auto axis = axis_of(call, call.integer("axis", 0), rank);
  Sizes shape = b.sizes().vec();
  for (auto trailing = rank - axis - b.dim(); trailing > 0; --trailing) shape.push_back(1);
  return b.reshape(shape);
}

template <at::Tensor (*function)(const at::Tensor&, const at::Tensor&)>
Tensors binary(const Call& call) {
  return {function(call.in(0), second(call))};
}

bool fits_in_place(const Call& call, const at::Tensor& b) {
  const at::Tensor& a = call.in(0);
  return call.may_overwrite() && a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
         a.device() == b.device();
}

Tensors add(const Call& call) {
  const at::Tensor b = second(call);
  if (fits_in_place(call, b)) return {at::Tensor(call.in(0)).add_(b)};
  return {at::add(call.in(0), b)};
}

Tensors sub(const Call& call) { return {at::sub(call.in(0), second(call))}; }

// A processor traps at the smallest integer divided by −1, so integers are divided by 1 there. The rest of
// the way, a change of sign, wraps around as everywhere else; any remainder is 0.
at::Tensor is_minus_one(const at::Tensor& divisor) {
  const bool can_be = at::isIntegralType(divisor.scalar_type(), false) && divisor.scalar_type() != at::kByte;
  return can_be ? divisor.eq(-1) : at::Tensor();
}

Tensors div(const Call& call) {
  const at::Tensor b = second(call);
  if (!at::isIntegralType(call.in(0).scalar_type(), true)) return {at::div(call.in(0), b)};
  const at::Tensor minus = is_minus_one(b);
  if (!minus.defined()) return {at::div(call.in(0), b, "trunc")};
  const at::Tensor quotient = at::div(call.in(0), b.masked_fill(minus, 1), "trunc");
  return {at::where(minus, at::neg(quotient), quotient)};
}

// The result has the base's type; an integer base with a real exponent is computed in double.
Tensors pow(const Call& call) {
  const at::Tensor& base = call.in(0);
  const at::Tensor exponent = second(call);
  if (at::isFloatingType(base.scalar_type())) return {at::pow(base, exponent.to(base.scalar_type()))};
  return {at::pow(base.to(at::kDouble), exponent.to(at::kDouble)).to(base.scalar_type())};
}

Tensors mod(const Call& call) {
  const bool like_c = call.flag("fmod");
  const at::Tensor minus = is_minus_one(call.in(1));
  const at::Tensor divisor = minus.defined() ? call.in(1).masked_fill(minus, 1) : call.in(1);
  return {like_c ? at::fmod(call.in(0), divisor) : at::remainder(call.in(0), divisor)};
}

template <at::Tensor (*function)(const at::Tensor&, const at::Tensor&)>
Tensors fold(const Call& call) {
  at::Tensor result = call.in(0);
  for (std::size_t i = 1; i < call.inputs().size(); ++i) result = function(result, call.in(i));
  return {result};
}

at::Tensor plus(const at::Tensor& a, const at::Tensor& b) { return at::add(a, b); }

Tensors sum(const Call& call) { return call.inputs().size() == 2 ? add(call) : fold<plus>(call); }

Tensors mean(const Call& call) {
  return {fold<plus>(call).front() / static_cast<double>(call.inputs().size())};
}

int width_of(const Call& call) {
  if (call.narrow_type(0) == onnx::Type::kUint16) return 16;
  if (call.narrow_type(0) == onnx::Type::kUint32) return 32;
  return static_cast<int>(8 * call.in(0).element_size());
}

// The low bits of a number that is held in a wider type.
at::Tensor low_bits(const Call& call, const at::Tensor& y) {
  const onnx::Type type = call.narrow_type(0);
  return type == onnx::Type::kUndefined ? y : cast_to(y, type, call.node().title());
}

Tensors bitwise_not(const Call& call) { return {low_bits(call, at::bitwise_not(call.in(0)))}; }

// By as many bits as the type has, or by fewer than none: nothing is left but the sign.
Tensors bit_shift(const Call& call) {
  if (!call.has_attribute("direction")) call.fail("attribute 'direction' is missing");
  const std::string direction = call.choice("direction", {"LEFT", "RIGHT"});
  const at::Tensor& x = call.in(0);
  const int width = width_of(call);
  const at::Tensor outside = at::logical_or(call.in(1) < 0, call.in(1) >= width);
  const at::Tensor inside = call.in(1).masked_fill(outside, 0);
  const at::Tensor y =
      direction == "LEFT" ? at::bitwise_left_shift(x, inside) : at::bitwise_right_shift(x, inside);
  const at::Tensor rest =
      direction == "LEFT" ? at::zeros_like(y) : at::where(x < 0, -1, 0).to(y.scalar_type());
  return {low_bits(call, at::where(outside, rest, y))};
}

Tensors where(const Call& call) { return {at::where(call.in(0).to(at::kBool), call.in(1), call.in(2))}; }

Tensors relu(const Call& call) {
  if (call.may_overwrite()) return {at::Tensor(call.in(0)).relu_()};
  return {at::relu(call.in(0))};
}

Tensors softplus(const Call& call) { return {at::softplus(call.in(0))}; }
Tensors softsign(const Call& call) { return {call.in(0) / (1 + call.in(0).abs())}; }

Tensors leaky_relu(const Call& call) { return {at::leaky_relu(call.in(0), call.real("alpha", 0.01))}; }
Tensors elu(const Call& call) { return {at::elu(call.in(0), call.real("alpha", 1))}; }
Tensors swish(const Call& call) { return {call.in(0) * at::sigmoid(call.in(0) * call.real("alpha", 1))}; }

Tensors swi_glu(const Call& call) { return {swish(call).front() * call.in(1)}; }

Tensors celu(const Call& call) { return {at::celu(call.in(0), call.real("alpha", 1))}; }

Tensors selu(const Call& call) {
  return {at::elu(call.in(0), call.real("alpha", 1.67326319217681884765625),
                  call.real("gamma", 1.05070102214813232421875))};
}

Tensors gelu(const Call& call) {
  return {at::gelu(call.in(0), call.choice("approximate", {"none", "tanh"}))};
}

at::Tensor hard_sigmoid_of(const at::Tensor& x, double alpha, double beta) {
  return at::clamp(x * alpha + beta, 0, 1);
}

Tensors hard_sigmoid(const Call& call) {
  return {hard_sigmoid_of(call.in(0), call.real("alpha", 0.2), call.real("beta", 0.5))};
}

Tensors hard_swish(const Call& call) { return {call.in(0) * hard_sigmoid_of(call.in(0), 1.0 / 6, 0.5)}; }

Tensors thresholded_relu(const Call& call) {
  const at::Tensor& x = call.in(0);
  return {at::where(x > call.real("alpha", 1), x, at::zeros_like(x))};
}

Tensors shrink(const Call& call) {
  const double limit = call.real("lambd", 0.5);
  const double bias = call.real("bias", 0);
  const at::Tensor& x = call.in(0);
  const at::Tensor high = at::where(x > limit, x - bias, at::zeros_like(x));
  return {at::where(x < -limit, x + bias, high).to(x.scalar_type())};
}

Tensors prelu(const Call& call) {
  const at::Tensor& x = call.in(0);
  at::Tensor slope = call.in(1);
  // Before opset 7, and in what some exporters still write, the slope is one number per channel.
  if (slope.dim() == 1 && x.dim() > 2 && slope.numel() == x.size(1))
    slope = slope.reshape(shape_on_axis(x.dim(), 1, -1));
  return {at::where(x >= 0, x, slope * x)};
}

// Limits are attributes before opset 11, inputs since.
Tensors clip(const Call& call) {
  std::optional<double> low;
  std::optional<double> high;
  if (call.has(1)) low = call.number_in(1);
  if (call.has(2)) high = call.number_in(2);
  if (call.has_attribute("min")) low = call.real("min", 0);
  if (call.has_attribute("max")) high = call.real("max", 0);
  const at::Tensor& x = call.in(0);
  if (!low && !high) return {x};
  // ReLU6: the same values, and a gradient in one pass where clamp's takes four, a quarter of a run on the
  // CPU. At the limits themselves it is 0, as PyTorch's own ReLU6 has it.
  if (low && high && *low <= *high && at::isFloatingType(x.scalar_type())) {
    at::Tensor own = x;
    if (call.may_overwrite()) return {at::hardtanh_(own, *low, *high)};
    return {at::hardtanh(x, *low, *high)};
  }
  c10::optional<at::Scalar> least;
  c10::optional<at::Scalar> most;
  const bool whole = at::isIntegralType(x.scalar_type(), true);
  if (low) least = whole ? at::Scalar(static_cast<std::int64_t>(*low)) : at::Scalar(*low);
  if (high) most = whole ? at::Scalar(static_cast<std::int64_t>(*high)) : at::Scalar(*high);
  if (call.may_overwrite()) return {at::Tensor(x).clamp_(least, most)};
  return {at::clamp(x, least, most)};
}

constexpr OpEntry kElementwiseOps[] = {{"Abs", unary<at::abs>},
                                       {"Acos", unary<at::acos>},
                                       {"Acosh", unary<at::acosh>},
                                       {"Add", add, {2, 2}},
                                       {"And", binary<at::logical_and>, {2, 2}},
                                       {"Asin", unary<at::asin>},
                                       {"Asinh", unary<at::asinh>},
                                       {"Atan", unary<at::atan>},
                                       {"Atanh", unary<at::atanh>},
                                       {"BitShift", bit_shift, {2, 2}},
                                       {"BitwiseAnd", binary<at::bitwise_and>, {2, 2}},
                                       {"BitwiseNot", bitwise_not},
                                       {"BitwiseOr", binary<at::bitwise_or>, {2, 2}},
                                       {"BitwiseXor", binary<at::bitwise_xor>, {2, 2}},
                                       {"Ceil", unary<at::ceil>},
                                       {"Celu", celu},
                                       {"Clip", clip, {1, 3}, kHost},
                                       {"Cos", unary<at::cos>},
                                       {"Cosh", unary<at::cosh>},
                                       {"Div", div, {2, 2}},
                                       {"Elu", elu},
                                       {"Equal", binary<at::eq>, {2, 2}},
                                       {"Erf", unary<at::erf>},
                                       {"Exp", unary<at::exp>},
                                       {"Floor", unary<at::floor>},
                                       {"Gelu", gelu},
                                       {"Greater", binary<at::gt>, {2, 2}},
                                       {"GreaterOrEqual", binary<at::ge>, {2, 2}},
                                       {"HardSigmoid", hard_sigmoid},
                                       {"HardSwish", hard_swish},
                                       {"IsInf", is_inf},
                                       {"IsNaN", unary<at::isnan>},
                                       {"LeakyRelu", leaky_relu},
                                       {"Less", binary<at::lt>, {2, 2}},
                                       {"LessOrEqual", binary<at::le>, {2, 2}},
                                       {"Log", unary<at::log>},
                                       {"Max", fold<at::maximum>, kAll},
                                       {"Mean", mean, kAll},
                                       {"Min", fold<at::minimum>, kAll},
                                       {"Mish", unary<at::mish>},
                                       {"Mod", mod, {2, 2}},
                                       {"Mul", binary<at::mul>, {2, 2}},
                                       {"Neg", unary<at::neg>},
                                       {"Not", unary<at::logical_not>},
                                       {"Or", binary<at::logical_or>, {2, 2}},
                                       {"PRelu", prelu, {2, 2}},
                                       {"Pow", pow, {2, 2}},
                                       {"Reciprocal", unary<at::reciprocal>},
                                       {"Relu", relu},
                                       {"Round", unary<at::round>},
                                       {"Selu", selu},
                                       {"Shrink", shrink},
                                       {"Sigmoid", unary<at::sigmoid>},
                                       {"Sign", unary<at::sign>},
                                       {"Sin", unary<at::sin>},
                                       {"Sinh", unary<at::sinh>},
                                       {"Softplus", softplus},
                                       {"Softsign", softsign},
                                       {"Sqrt", unary<at::sqrt>},
                                       {"Sub", sub, {2, 2}},
                                       {"Sum", sum, kAll},
                                       {"SwiGLU", swi_glu, {2, 2}},
                                       {"Swish", swish},
                                       {"Tan", unary<at::tan>},
                                       {"Tanh", unary<at::tanh>},
                                       {"ThresholdedRelu", thresholded_relu},
                                       {"Where", where, {3, 3}},
                                       {"Xor", binary<at::logical_xor>, {2, 2}}};

}  // namespace

std::span<const OpEntry> elementwise_ops() { return kElementwiseOps; }

}  // namespace atcav::plugin
