#include "atcav/io/convert.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace atcav::io {
namespace {

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

}  // namespace
}  // namespace atcav::io
