#include "core/all_finite.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/cpu_clones.h"

namespace atcav {
namespace {

constexpr std::uint32_t kInfinity = 0x7f800000;

// Of the numbers without their signs: NaN and infinity are above all others.
ATCAV_CPU_CLONES
std::uint32_t largest_bits(const float* values, std::size_t count) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & 0x7fffffffU);
  return largest;
}

}  // namespace

bool all_finite(std::span<const float> values) {
  return largest_bits(values.data(), values.size()) < kInfinity;
}

}  // namespace atcav
