#include <cmath>

#include "plugins/torch/exec/table.h"
#include "plugins/torch/exec/tensor_torch.h"

// Tensors out of numbers, and changes of type.
namespace atcav::plugin {
namespace {

using Kind = onnx::Attribute::Kind;

Tensors constant(const Call& call) {
  for (const onnx::Attribute& attribute : call.node().attributes) {
    switch (attribute.kind) {
      case Kind::kTensor: return {to_torch(attribute.tensor)};
      case Kind::kReal: return {at::scalar_tensor(attribute.real, at::kFloat)};
      case Kind::kInteger: return {at::scalar_tensor(attribute.integer, at::kLong)};
      case Kind::kReals: return {at::tensor(attribute.reals, at::kFloat)};
      case Kind::kIntegers: return {at::tensor(attribute.integers, at::kLong)};
      default: call.fail("attribute '{}' has a type that is not supported", attribute.name);
    }
  }
  call.fail("has no value");
}

Tensors constant_of_shape(const Call& call) {
  const Sizes shape = call.integers_in(0);
  check_size(call, shape);
  const onnx::Attribute* value = call.node().find("value");
  if (value == nullptr || value->kind != Kind::kTensor) return {at::zeros(shape, at::kFloat)};
  const at::Tensor one = to_torch(value->tensor);
  if (one.numel() != 1) call.fail("attribute 'value' must have one element");
  return {one.reshape(Sizes(shape.size(), 1)).expand(shape).contiguous()};
}

Tensors range(const Call& call) {
  const at::Tensor& start = call.in(0);
  const double first = call.number_in(0);
  const double limit = call.number_in(1);
  const double step = call.number_in(2);
  const double count = std::ceil((limit - first) / step);
  if (step == 0 || !(count < 1e9)) call.fail("from {} to {} in steps of {}", first, limit, step);
  const auto length = static_cast<std::int64_t>(std::max(0.0, count));
  check_size(call, {length});
  const at::Tensor steps = at::arange(length, at::TensorOptions().dtype(at::kDouble));
  return {(steps * step + first).to(start.scalar_type())};
}

Tensors eye_like(const Call& call) {
  const at::Tensor& x = call.in(0);
  if (x.dim() != 2) call.fail("input must be a matrix");
  const at::ScalarType type = call.has_attribute("dtype")
                                  ? scalar_type(static_cast<onnx::Type>(call.integer("dtype", 1)),
                                                "attribute 'dtype' of " + call.node().title())
                                  : x.scalar_type();
  const auto k = call.integer("k", 0);
  const at::Tensor rows = at::arange(x.size(0), x.options().dtype(at::kLong)).reshape({-1, 1});
  const at::Tensor columns = at::arange(x.size(1), x.options().dtype(at::kLong));
  return {(columns - rows == k).to(type)};
}

Tensors cast(const Call& call) {
  const std::string what = "attribute 'to' of " + call.node().title();
  // Before opset 6 the type was written as text, in upper case.
  if (const auto* to = call.node().find("to"); to != nullptr && to->kind == Kind::kText) {
    if (to->text == "FLOAT") return {call.in(0).to(at::kFloat)};
    if (to->text == "INT64") return {call.in(0).to(at::kLong)};
    call.fail("attribute 'to' is '" + to->text + "', which is not supported");
  }
  return {cast_to(call.in(0), static_cast<onnx::Type>(call.integer("to", 0)), what,
                  call.flag("saturate", true), call.text("round_mode", "up"))};
}

// The same bits read as another type of the same width.
Tensors bit_cast(const Call& call) {
  const at::Tensor& x = call.in(0);
  const auto type = static_cast<onnx::Type>(call.integer("to", 0));
  const at::ScalarType target = scalar_type(type, "attribute 'to' of " + call.node().title());
  const bool wider = type == onnx::Type::kUint16 || type == onnx::Type::kUint32;
  const bool whole = at::isIntegralType(x.scalar_type(), true) && at::isIntegralType(target, false);
  // Unsigned numbers of 16 and 32 bits are held wider: their low bits are what counts.
  if (whole) return {cast_to(x, type, call.node().title())};
  if (wider || x.element_size() != static_cast<std::int64_t>(c10::elementSize(target)))
    call.fail("the types differ in width, or are not supported");
  return {x.contiguous().view(target)};
}

Tensors cast_like(const Call& call) {
  const onnx::Type narrow = call.narrow_type(1);
  if (narrow == onnx::Type::kUndefined) return {call.in(0).to(call.in(1).scalar_type())};
  return {cast_to(call.in(0), narrow, call.node().title(), call.flag("saturate", true),
                  call.text("round_mode", "up"))};
}

constexpr OpEntry kCreateOps[] = {{"BitCast", bit_cast},
                                  {"Cast", cast},
                                  {"CastLike", cast_like, {2, 2}},
                                  {"Constant", constant, {0, 0}},
                                  {"ConstantOfShape", constant_of_shape},
                                  {"EyeLike", eye_like},
                                  {"Range", range, {3, 3}, kHost}};

}  // namespace

std::span<const OpEntry> create_ops() { return kCreateOps; }

}  // namespace atcav::plugin
