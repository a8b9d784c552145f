#include "plugins/torch/ops/table.h"

// Functions of two or more tensors, element by element, with NumPy's broadcasting.
namespace atcav::plugin {
namespace {

// Before opset 7 the second operand was lined up with the first at attribute `axis`.
at::Tensor second(const Call& call) {
  const at::Tensor& b = call.in(1);
  if (call.opset() >= 7 || call.integer("broadcast", 0) == 0 || !call.has_attribute("axis")) return b;
  const auto rank = call.in(0).dim();
  const auto axis = call.axis(call.integer("axis", 0), rank);
  Sizes shape = b.sizes().vec();
  for (auto trailing = rank - axis - b.dim(); trailing > 0; --trailing) shape.push_back(1);
  return b.reshape(shape);
}

template <at::Tensor (*function)(const at::Tensor&, const at::Tensor&)>
Tensors apply(const Call& call) {
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

Tensors div(const Call& call) {
  const at::Tensor b = second(call);
  if (!at::isIntegralType(call.in(0).scalar_type(), true)) return {at::div(call.in(0), b)};
  return {at::div(call.in(0), b, "trunc")};
}

// The result has the base's type; an integer base with a real exponent is computed in double.
Tensors pow(const Call& call) {
  const at::Tensor& base = call.in(0);
  const at::Tensor exponent = second(call);
  if (at::isFloatingType(base.scalar_type())) return {at::pow(base, exponent.to(base.scalar_type()))};
  return {at::pow(base.to(at::kDouble), exponent.to(at::kDouble)).to(base.scalar_type())};
}

Tensors mod(const Call& call) {
  const bool like_c = call.integer("fmod", 0) != 0;
  return {like_c ? at::fmod(call.in(0), call.in(1)) : at::remainder(call.in(0), call.in(1))};
}

template <at::Tensor (*function)(const at::Tensor&, const at::Tensor&)>
Tensors fold(const Call& call) {
  at::Tensor result = call.in(0);
  for (std::size_t i = 1; i < call.input_count(); ++i) result = function(result, call.in(i));
  return {result};
}

at::Tensor plus(const at::Tensor& a, const at::Tensor& b) { return at::add(a, b); }

Tensors sum(const Call& call) { return call.input_count() == 2 ? add(call) : fold<plus>(call); }

Tensors mean(const Call& call) {
  return {fold<plus>(call).front() / static_cast<double>(call.input_count())};
}

Tensors bit_shift(const Call& call) {
  const std::string direction = call.text("direction", "");
  if (direction == "LEFT") return {at::bitwise_left_shift(call.in(0), call.in(1))};
  if (direction == "RIGHT") return {at::bitwise_right_shift(call.in(0), call.in(1))};
  call.fail("attribute 'direction' is '" + direction + "', must be LEFT or RIGHT");
}

Tensors where(const Call& call) { return {at::where(call.in(0).to(at::kBool), call.in(1), call.in(2))}; }

constexpr OpEntry kOps[] = {
    {"Add", add},
    {"And", apply<at::logical_and>},
    {"BitShift", bit_shift},
    {"BitwiseAnd", apply<at::bitwise_and>},
    {"BitwiseOr", apply<at::bitwise_or>},
    {"BitwiseXor", apply<at::bitwise_xor>},
    {"Div", div},
    {"Equal", apply<at::eq>},
    {"Greater", apply<at::gt>},
    {"GreaterOrEqual", apply<at::ge>},
    {"Less", apply<at::lt>},
    {"LessOrEqual", apply<at::le>},
    {"Max", fold<at::maximum>},
    {"Mean", mean},
    {"Min", fold<at::minimum>},
    {"Mod", mod},
    {"Mul", apply<at::mul>},
    {"Or", apply<at::logical_or>},
    {"Pow", pow},
    {"Sub", sub},
    {"Sum", sum},
    {"Where", where},
    {"Xor", apply<at::logical_xor>},
};

}  // namespace

std::span<const OpEntry> binary_ops() { return kOps; }

}  // namespace atcav::plugin
