#include "plugins/torch/exec/mini_float.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atcav::plugin {
namespace {

using onnx::Type;

constexpr Type kRealTypes[] = {Type::kFloat8E4M3FN, Type::kFloat8E4M3FNUZ, Type::kFloat8E5M2,
                               Type::kFloat8E5M2FNUZ, Type::kFloat4E2M1};

TEST(MiniFloat, KnownValues) {
  EXPECT_EQ(mini_float_values(Type::kFloat8E4M3FN)[0x7E], 448);
  EXPECT_TRUE(std::isnan(mini_float_values(Type::kFloat8E4M3FN)[0x7F]));
  EXPECT_EQ(mini_float_values(Type::kFloat8E5M2)[0x3C], 1);
  EXPECT_TRUE(std::isinf(mini_float_values(Type::kFloat8E5M2)[0x7C]));
  EXPECT_TRUE(std::isnan(mini_float_values(Type::kFloat8E5M2FNUZ)[0x80]));
  EXPECT_EQ(mini_float_values(Type::kFloat4E2M1)[7], 6);
  EXPECT_EQ(mini_float_values(Type::kFloat8E8M0)[127], 1);
}

// Every such number is its own nearest, and a little beside it goes back to it.
TEST(MiniFloat, RoundingFindsTheNearest) {
  for (const Type type : kRealTypes) {
    const MiniFloat& mini = *mini_float(type);
    std::vector<float> values;
    for (const float value : mini_float_values(type)) {
      if (std::isfinite(value)) values.push_back(value);
    }
    const at::Tensor exact = at::tensor(values, at::kFloat);
    EXPECT_TRUE(at::equal(rounded(exact, mini, true), exact)) << onnx::type_name(type);
    EXPECT_TRUE(at::equal(rounded(exact * 1.01, mini, true), exact)) << onnx::type_name(type);
    EXPECT_EQ(rounded(at::full({1}, 1e9), mini, true).item<float>(), mini.largest);
  }
  EXPECT_TRUE(std::isnan(rounded(at::full({1}, 1e9), *mini_float(Type::kFloat8E4M3FN), false).item<float>()));
  EXPECT_TRUE(std::isinf(rounded(at::full({1}, 1e9), *mini_float(Type::kFloat8E5M2), false).item<float>()));
}

TEST(MiniFloat, NarrowIntegersWrap) {
  const at::Tensor x = at::tensor({7, 8, -9, 17}, at::kLong);
  EXPECT_TRUE(at::equal(wrapped_to(x, 4, at::kChar), at::tensor({7, -8, 7, 1}, at::kChar)));
  EXPECT_TRUE(at::equal(wrapped_to(x, 4, at::kByte), at::tensor({7, 8, 7, 1}, at::kByte)));
}

TEST(MiniFloat, PowersOfTwo) {
  const at::Tensor x = at::tensor({0.0, 1.0, 1.1, -3.0, 1.5, 1e300}, at::kDouble);
  const auto as = [&](const char* mode) { return power_of_two(x, true, mode); };
  EXPECT_TRUE(at::equal(as("up"), at::tensor({0x1p-127F, 1.0F, 2.0F, 4.0F, 2.0F, 0x1p127F})));
  EXPECT_TRUE(at::equal(as("down"), at::tensor({0x1p-127F, 1.0F, 1.0F, 2.0F, 1.0F, 0x1p127F})));
  EXPECT_TRUE(at::equal(as("nearest"), at::tensor({0x1p-127F, 1.0F, 1.0F, 4.0F, 2.0F, 0x1p127F})));
  EXPECT_TRUE(std::isnan(power_of_two(x, false, "up")[5].item<float>()));
  EXPECT_THROW(as("sideways"), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
