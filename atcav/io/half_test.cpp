#include "atcav/io/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace atcav::io {
namespace {

// The definition of a binary float with `fraction_bits` and an 8- or 5-bit exponent, in arithmetic.
double decode(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const std::uint32_t fraction = bits % (1u << fraction_bits);
  const int exponent = static_cast<int>((bits >> fraction_bits) % (1u << exponent_bits));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> (exponent_bits + fraction_bits)) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1u << fraction_bits), exponent - bias - fraction_bits);
}

void expect_all_equal(float (*convert)(std::uint16_t), int exponent_bits, int fraction_bits) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = convert(static_cast<std::uint16_t>(bits));
    const double expected = decode(bits, exponent_bits, fraction_bits);
    ASSERT_EQ(std::signbit(value), bits >= 32768) << bits;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(value), expected) << bits;
    }
  }
}

TEST(HalfToFloat, AllValuesExact) { expect_all_equal(half_to_float, 5, 10); }
TEST(Bfloat16ToFloat, AllValuesExact) { expect_all_equal(bfloat16_to_float, 8, 7); }

TEST(HalfToFloat, KnownValues) {
  EXPECT_EQ(half_to_float(0x3c00), 1.0f);
  EXPECT_EQ(half_to_float(0xc000), -2.0f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.0f);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(bfloat16_to_float(0x4049), 3.140625f);
}

}  // namespace
}  // namespace atcav::io
