#include "plugins/torch/exec/mini_float.h"

#include <cmath>
#include <limits>

namespace atcav::plugin {
namespace {

using onnx::Type;

float value_of(unsigned byte, const MiniFloat& type) {
  const int exponent = static_cast<int>(byte >> type.mantissa_bits) & ((1 << type.exponent_bits) - 1);
  const unsigned mantissa = byte & ((1U << type.mantissa_bits) - 1);
  const int top = (1 << type.exponent_bits) - 1;
  const bool negative = type.has_sign && (byte >> (type.exponent_bits + type.mantissa_bits) & 1U) != 0;
  const float sign = negative ? -1.0F : 1.0F;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const unsigned ones = (1U << type.mantissa_bits) - 1;
  if (type.has_nan && type.has_infinity && exponent == top)
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity() : nan;
  if (type.has_nan && !type.has_infinity) {
    const bool unsigned_zero = type.bias == 8 || type.bias == 16;  // …FNUZ: NaN is what would be −0
    if (unsigned_zero ? negative && exponent == 0 && mantissa == 0 : exponent == top && mantissa == ones)
      return nan;
  }
  if (type.mantissa_bits == 0) return std::ldexp(1.0F, exponent - type.bias);
  const float fraction = static_cast<float>(mantissa) / static_cast<float>(1U << type.mantissa_bits);
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - type.bias)
                               : std::ldexp(1 + fraction, exponent - type.bias));
}

}  // namespace

const MiniFloat* mini_float(Type type) {
  static const MiniFloat kE4M3FN{4, 3, 7, true, false, true, 448};
  static const MiniFloat kE4M3FNUZ{4, 3, 8, true, false, true, 240};
  static const MiniFloat kE5M2{5, 2, 15, true, true, true, 57344};
  static const MiniFloat kE5M2FNUZ{5, 2, 16, true, false, true, 57344};
  static const MiniFloat kE2M1{2, 1, 1, true, false, false, 6};
  static const MiniFloat kE8M0{8, 0, 127, false, false, true, 0x1p127F};
  switch (type) {
    case Type::kFloat8E4M3FN: return &kE4M3FN;
    case Type::kFloat8E4M3FNUZ: return &kE4M3FNUZ;
    case Type::kFloat8E5M2: return &kE5M2;
    case Type::kFloat8E5M2FNUZ: return &kE5M2FNUZ;
    case Type::kFloat4E2M1: return &kE2M1;
    case Type::kFloat8E8M0: return &kE8M0;
    default: return nullptr;
  }
}

std::vector<float> mini_float_values(Type type) {
  std::vector<float> values;
  for (unsigned byte = 0; byte < 256; ++byte) values.push_back(value_of(byte, *mini_float(type)));
  return values;
}

at::Tensor rounded(const at::Tensor& x, const MiniFloat& type, bool saturate) {
  const at::Tensor wide = x.to(at::kDouble);
  // The spacing of such numbers around each x: 2^(exponent − mantissa bits), not below that of the smallest.
  at::Tensor mantissa, exponent;
  std::tie(mantissa, exponent) = at::frexp(wide.abs().clamp_min(1e-30));
  const at::Tensor least = (exponent.to(at::kDouble) - 1).clamp_min(1 - type.bias) - type.mantissa_bits;
  const at::Tensor spacing = at::pow(2.0, least);
  const at::Tensor near = at::round(wide / spacing) * spacing;
  const double infinity = std::numeric_limits<double>::infinity();
  const double beyond = type.has_infinity ? infinity : std::numeric_limits<double>::quiet_NaN();
  at::Tensor y = near;
  if (saturate || !type.has_nan) {
    y = near.clamp(-type.largest, type.largest);
  } else {
    const at::Tensor over = at::full_like(near, beyond) * wide.sign();
    y = at::where(near.abs() > type.largest, over, near);
  }
  if (saturate && type.has_nan) y = at::where(wide.isinf(), wide.sign() * type.largest, y);
  const double nothing = type.has_nan ? std::numeric_limits<double>::quiet_NaN() : -0.0;
  return y.masked_fill(wide.isnan(), nothing).to(at::kFloat);
}

at::Tensor power_of_two(const at::Tensor& x, bool saturate, const std::string& round_mode) {
  const at::Tensor wide = x.to(at::kDouble).abs();
  at::Tensor mantissa, exponent;  // x = mantissa · 2^exponent, mantissa in [1/2, 1)
  std::tie(mantissa, exponent) = at::frexp(wide);
  at::Tensor power = exponent.to(at::kDouble) - 1;
  if (round_mode == "up") {
    power = power + (mantissa > 0.5).to(at::kDouble);
  } else if (round_mode == "nearest") {
    power = power + (mantissa >= 0.75).to(at::kDouble);
  } else if (round_mode != "down") {
    throw std::runtime_error("[onnx] Cast: attribute 'round_mode' is '" + round_mode +
                             "', must be up, down or nearest");
  }
  at::Tensor y = at::pow(2.0, power.clamp(-127, 127)).masked_fill(wide == 0, 0x1p-127);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (!saturate) y = y.masked_fill(power > 127, nan);
  return y.masked_fill(at::logical_or(wide.isnan(), wide.isinf()), nan).to(at::kFloat);
}

int narrow_bits(Type type) {
  if (type == Type::kInt4 || type == Type::kUint4) return 4;
  return type == Type::kInt2 || type == Type::kUint2 ? 2 : 0;
}

at::Tensor wrapped_to(const at::Tensor& x, int bits, at::ScalarType held) {
  const std::int64_t range = std::int64_t{1} << bits;
  const at::Tensor low = x.to(at::kLong).bitwise_and(range - 1);
  if (held == at::kByte) return low.to(held);
  return at::where(low >= range / 2, low - range, low).to(held);
}

}  // namespace atcav::plugin
