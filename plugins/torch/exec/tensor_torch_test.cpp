#include "plugins/torch/exec/tensor_torch.h"

#include <gtest/gtest.h>

#include "tests/support/onnx_model.h"

namespace atcav::plugin {
namespace {

using onnx::Type;
using testing_support::tensor;

TEST(ToTorch, WidensWhatTorchDoesNotHave) {
  const at::Tensor small = to_torch(tensor<std::uint16_t>("u", Type::kUint16, {1}, {65535}));
  EXPECT_EQ(small.scalar_type(), at::kInt);
  EXPECT_EQ(small.item<int>(), 65535);
  const at::Tensor large = to_torch(tensor<std::uint32_t>("u", Type::kUint32, {1}, {4'000'000'000U}));
  EXPECT_EQ(large.item<std::int64_t>(), 4'000'000'000);
}

// 0x3555 is the half nearest to 1/3, 0x3EAB the bfloat16.
TEST(ToTorch, ReadsHalvesAsFloat) {
  const at::Tensor half = to_torch(tensor<std::uint16_t>("h", Type::kFloat16, {1}, {0x3555}));
  EXPECT_EQ(half.scalar_type(), at::kFloat);
  EXPECT_EQ(half.item<float>(), 0.333251953125F);
  EXPECT_EQ(to_torch(tensor<std::uint16_t>("b", Type::kBfloat16, {1}, {0x3EAB})).item<float>(), 0.333984375F);
}

TEST(ToTorch, KeepsShapesEvenEmptyOnes) {
  EXPECT_EQ(to_torch(testing_support::floats("e", {2, 0}, {})).sizes().vec(),
            (std::vector<std::int64_t>{2, 0}));
  EXPECT_EQ(to_torch(testing_support::longs("s", {}, {7})).item<std::int64_t>(), 7);
}

TEST(ScalarType, NamesWhatItCannotHold) {
  EXPECT_THROW(scalar_type(Type::kString, "tensor 'names'"), std::runtime_error);
  EXPECT_THROW(scalar_type(Type::kString, "text"), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
