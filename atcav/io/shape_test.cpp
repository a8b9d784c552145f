#include "atcav/io/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace atcav::io {
namespace {

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

}  // namespace
}  // namespace atcav::io
