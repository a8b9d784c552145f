#pragma once

#include "plugins/torch/libtorch.h"
#include "plugins/torch/onnx/tensor.h"

// Numbers of eight bits and fewer. LibTorch has none of them on the CPU: real ones are held as float32, whole
// ones as int8 or uint8, and a Cast to them rounds or wraps as the narrow type would.
namespace atcav::plugin {

struct MiniFloat {
  int exponent_bits = 0, mantissa_bits = 0, bias = 0;
  bool has_sign = true;
  bool has_infinity = false;
  bool has_nan = true;
  float largest = 0;
};
// Null for other types.
const MiniFloat* mini_float(onnx::Type type);

// Of each possible byte: its value.
std::vector<float> mini_float_values(onnx::Type type);

// Rounded to the nearest such number, ties to even; beyond the largest that number, or NaN or infinity unless
// saturated. NaN is −0 where the type has none.
at::Tensor rounded(const at::Tensor& x, const MiniFloat& type, bool saturate);

// Of float8e8m0, which has no sign and no zero: the power of two above |x|, below it, or the nearest (the
// upper one where both are as near). `round_mode` is up, down or nearest. Beyond 2^127 that, or NaN unless
// saturated.
at::Tensor power_of_two(const at::Tensor& x, bool saturate, const std::string& round_mode);

// Bits of int4, uint4, int2, uint2; 0 for other types.
int narrow_bits(onnx::Type type);
// The low bits alone.
at::Tensor wrapped_to(const at::Tensor& x, int bits, at::ScalarType held);

}  // namespace atcav::plugin
