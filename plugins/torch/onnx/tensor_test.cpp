#include "plugins/torch/onnx/tensor.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace atcav::onnx {
namespace {

TEST(ElementCount, MultipliesAndRefusesNonsense) {
  EXPECT_EQ(element_count({}, "x"), 1);
  EXPECT_EQ(element_count({2, 0, 5}, "x"), 0);
  EXPECT_EQ(element_count({2, 3}, "x"), 6);
  EXPECT_THROW(element_count({2, -1}, "x"), std::runtime_error);
  EXPECT_THROW(element_count({std::numeric_limits<std::int64_t>::max(), 4}, "x"), std::runtime_error);
}

TEST(TypeNames, KnownAndUnknown) {
  EXPECT_EQ(type_name(Type::kBfloat16), "bfloat16");
  EXPECT_EQ(type_name(Type::kInt2), "int2");
  EXPECT_EQ(type_name(static_cast<Type>(40)), "type 40");
  EXPECT_EQ(type_name(static_cast<Type>(-3)), "type -3");
  EXPECT_EQ(element_size(Type::kFloat16), 2U);
  EXPECT_EQ(element_size(Type::kString), 0U);
  EXPECT_EQ(packed_bits(Type::kFloat16), 16U);
  EXPECT_EQ(packed_bits(Type::kInt4), 4U);
  EXPECT_EQ(element_size(Type::kInt4), 1U);
}

TEST(ShapeText, LooksLikeAList) { EXPECT_EQ(shape_text({1, 3}), "[1, 3]"); }

}  // namespace
}  // namespace atcav::onnx
