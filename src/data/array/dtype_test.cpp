#include "data/array/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace atcav::data {
namespace {

TEST(Dtype, NamesAndSizesBelongTogether) {
  EXPECT_EQ(dtype_name(Dtype::kBF16), "BF16");
  EXPECT_EQ(npy_code(Dtype::kBF16), "");
  for (const Dtype dtype : {Dtype::kBool, Dtype::kU8, Dtype::kI8, Dtype::kI16, Dtype::kI32, Dtype::kI64,
                            Dtype::kF16, Dtype::kF32, Dtype::kF64}) {
    EXPECT_EQ(find_dtype(dtype_name(dtype)), dtype);
    EXPECT_EQ(find_npy_code(npy_code(dtype)), dtype);
    // The digit in NumPy's code is the size in bytes.
    EXPECT_EQ(item_size(dtype), static_cast<std::size_t>(npy_code(dtype)[1] - '0'));
    EXPECT_EQ(is_integer(dtype), npy_code(dtype)[0] != 'f');
  }
  EXPECT_EQ(find_dtype("BF16"), Dtype::kBF16);
  EXPECT_EQ(item_size(Dtype::kBF16), 2u);
  EXPECT_FALSE(is_integer(Dtype::kBF16));
}

TEST(FindDtype, UnknownIsNothing) {
  EXPECT_EQ(find_dtype("F8_E4M3"), std::nullopt);
  EXPECT_EQ(find_dtype(""), std::nullopt);
  EXPECT_EQ(find_npy_code(""), std::nullopt);
  EXPECT_EQ(find_npy_code("c8"), std::nullopt);
}

TEST(ByteSize, IsTheProduct) {
  EXPECT_EQ(byte_size({}, Dtype::kF64), 8u);
  EXPECT_EQ(byte_size({3, 4, 5}, Dtype::kF32), 240u);
  EXPECT_EQ(byte_size({3, 0}, Dtype::kF32), 0u);
}

TEST(ByteSize, OverflowAndNegativeSizesAreNothing) {
  const Index large = std::numeric_limits<Index>::max();
  EXPECT_EQ(byte_size({large}, Dtype::kU8), static_cast<std::size_t>(large));
  EXPECT_EQ(byte_size({large}, Dtype::kI16), std::nullopt);
  EXPECT_EQ(byte_size({Index{1} << 32, Index{1} << 32}, Dtype::kU8), std::nullopt);
  EXPECT_EQ(byte_size({0, large, large}, Dtype::kU8), std::nullopt);
  EXPECT_EQ(byte_size({-1}, Dtype::kU8), std::nullopt);
}

TEST(ShapeToString, LooksLikePython) {
  EXPECT_EQ(to_string(Shape{}), "()");
  EXPECT_EQ(to_string(Shape{3}), "(3,)");
  EXPECT_EQ(to_string(Shape{3, 4}), "(3, 4)");
}

template <typename T>
std::vector<T> converted(Dtype dtype, bool big_endian, std::string_view bytes) {
  std::vector<T> values(bytes.size() / item_size(dtype));
  convert(dtype, big_endian, reinterpret_cast<const std::byte*>(bytes.data()),
          static_cast<Index>(values.size()), values.data());
  return values;
}

using std::string_view_literals::operator""sv;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

TEST(Convert, FloatsOfBothByteOrders) {
  EXPECT_EQ(converted<float>(Dtype::kF32, false, "\0\0\x80\x3f\0\0\x20\xc1"sv), (Floats{1, -10}));
  EXPECT_EQ(converted<float>(Dtype::kF32, true, "\x3f\x80\0\0\xc1\x20\0\0"sv), (Floats{1, -10}));
  EXPECT_EQ(converted<float>(Dtype::kF64, false, "\0\0\0\0\0\0\xf8\x3f"sv), (Floats{1.5}));
  EXPECT_EQ(converted<double>(Dtype::kF64, true, "\x3f\xf8\0\0\0\0\0\0"sv), (Doubles{1.5}));
  EXPECT_EQ(converted<float>(Dtype::kF16, false, "\0\x3c"sv), (Floats{1}));
  EXPECT_EQ(converted<float>(Dtype::kF16, true, "\x3c\0"sv), (Floats{1}));
  EXPECT_EQ(converted<double>(Dtype::kBF16, false, "\x80\x3f"sv), (Doubles{1}));
}

TEST(Convert, IntegersKeepTheirSign) {
  EXPECT_EQ(converted<std::int64_t>(Dtype::kBool, false, "\0\1\2"sv), (Integers{0, 1, 1}));
  EXPECT_EQ(converted<std::int64_t>(Dtype::kU8, false, "\0\xff"sv), (Integers{0, 255}));
  EXPECT_EQ(converted<std::int64_t>(Dtype::kI8, false, "\x01\xff"sv), (Integers{1, -1}));
  EXPECT_EQ(converted<std::int64_t>(Dtype::kI16, true, "\xff\xfe"sv), (Integers{-2}));
  EXPECT_EQ(converted<std::int64_t>(Dtype::kI32, false, "\xfd\xff\xff\xff"sv), (Integers{-3}));
  EXPECT_EQ(converted<std::int64_t>(Dtype::kI64, true, "\0\0\0\1\0\0\0\0"sv), (Integers{1LL << 32}));
  EXPECT_EQ(converted<float>(Dtype::kI64, false, "\xff\xff\xff\xff\xff\xff\xff\xff"sv), (Floats{-1}));
}

TEST(Convert, Float64BeyondFloatIsInfinite) {
  // 1e300 in IEEE 754 binary64 is 0x7e37e43c8800759c.
  EXPECT_EQ(converted<float>(Dtype::kF64, true, "\x7e\x37\xe4\x3c\x88\x00\x75\x9c"sv),
            (Floats{std::numeric_limits<float>::infinity()}));
}

TEST(Convert, FloatsAreNotIntegers) {
  EXPECT_THROW(converted<std::int64_t>(Dtype::kF32, false, "\0\0\0\0"sv), std::invalid_argument);
}

float sixteen(Dtype dtype, std::uint16_t bits) {
  float value = 0;
  convert(dtype, false, reinterpret_cast<const std::byte*>(&bits), 1, &value);
  return value;
}

// The definition of a binary float with `fraction_bits` and an 8- or 5-bit exponent, in arithmetic.
double decode_bits(std::uint32_t bits, int exponent_bits, int fraction_bits) {
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

void expect_all_equal(Dtype dtype, int exponent_bits, int fraction_bits) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float value = sixteen(dtype, static_cast<std::uint16_t>(bits));
    const double expected = decode_bits(bits, exponent_bits, fraction_bits);
    ASSERT_EQ(std::signbit(value), bits >= 32768) << bits;
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(value), expected) << bits;
    }
  }
}

TEST(ConvertHalf, AllValuesExact) { expect_all_equal(Dtype::kF16, 5, 10); }
TEST(ConvertBfloat16, AllValuesExact) { expect_all_equal(Dtype::kBF16, 8, 7); }

TEST(ConvertHalf, KnownValues) {
  EXPECT_EQ(sixteen(Dtype::kF16, 0x3c00), 1.0f);
  EXPECT_EQ(sixteen(Dtype::kF16, 0xc000), -2.0f);
  EXPECT_EQ(sixteen(Dtype::kF16, 0x7bff), 65504.0f);
  EXPECT_EQ(sixteen(Dtype::kF16, 0x0001), 0x1p-24f);
  EXPECT_EQ(sixteen(Dtype::kBF16, 0x4049), 3.140625f);
}

}  // namespace
}  // namespace atcav::data
