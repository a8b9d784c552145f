#include "atcav/io/dtype.h"

#include <gtest/gtest.h>

namespace atcav::io {
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

}  // namespace
}  // namespace atcav::io
