#pragma once

#include <bit>
#include <cstdint>

// Sixteen-bit floats to float32; both conversions are exact. NaN stays NaN with its sign.
namespace atcav::io {

// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. Written without branches or subnormal
// floats, so that loops over it vectorise and a flush-to-zero mode set by someone else does no harm.
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffu;
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t normal = (magnitude << 13) + (112u << 23);
  const auto subnormal = std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
  const std::uint32_t finite = magnitude < 0x0400u ? subnormal : normal;
  return std::bit_cast<float>(sign | (magnitude < 0x7c00u ? finite : special));
}

// bfloat16: the upper half of a float32.
inline float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace atcav::io
