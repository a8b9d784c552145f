#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(QuantizeOps, SaturatesAndRoundsToEven) {
  const at::Tensor x = at::tensor({-1000.0F, 0.5F, 1.5F, 1000.0F});
  const at::Tensor one = at::ones({}, at::kFloat);
  expect_values(run_op({"QuantizeLinear"}, {x, one})[0], {4}, {0, 0, 2, 255});
  const at::Tensor zero = at::zeros({}, at::kChar);
  expect_values(run_op({"QuantizeLinear"}, {x, one, zero})[0], {4}, {-128, 0, 2, 127});
}

TEST(QuantizeOps, DequantizeUndoesQuantizePerAxis) {
  const at::Tensor scale = at::tensor({0.5F, 0.25F});
  const at::Tensor x = at::tensor({1.0F, 1.5F, -2.0F, 3.0F}).reshape({2, 2});
  const OpCase up{"QuantizeLinear", {integer("axis", 0)}};
  const OpCase down{"DequantizeLinear", {integer("axis", 0)}};
  const at::Tensor zero = at::tensor({3, 7}, at::kChar);
  expect_values(run_op(down, {run_op(up, {x, scale, zero})[0], scale, zero})[0], {2, 2}, {1, 1.5, -2, 3});
}

TEST(QuantizeOps, BlocksRepeatTheirScale) {
  const at::Tensor scale = at::tensor({1.0F, 10.0F}).reshape({1, 2});
  const OpCase op{"DequantizeLinear", {integer("axis", 1), integer("block_size", 2)}, 21};
  expect_values(run_op(op, {at::ones({1, 4}, at::kChar), scale})[0], {1, 4}, {1, 1, 10, 10});
}

TEST(QuantizeOps, IntegerProductsAreExact) {
  const at::Tensor a = at::full({1, 3}, 200, at::kByte);
  const at::Tensor zero = at::full({}, 100, at::kByte);
  expect_values(run_op({"MatMulInteger"}, {a, a.t(), zero, zero})[0], {1, 1}, {30000});
  const at::Tensor plane = a.reshape({1, 1, 3});
  expect_values(run_op({"ConvInteger"}, {plane, plane, zero, zero})[0], {1, 1, 1}, {30000});
}

// They were read as if they had the dimensions of a convolution: beyond their shape.
TEST(QuantizeOps, WeightsOfAConvolutionHaveSpatialSizes) {
  const at::Tensor plane = at::ones({1, 1, 3}, at::kByte);
  const at::Tensor zeros = at::zeros({2}, at::kByte);
  for (const at::Tensor& weight :
       {at::ones({}, at::kByte), at::ones({2}, at::kByte), at::ones({2, 1}, at::kByte)})
    EXPECT_THROW(run_op({"ConvInteger"}, {plane, weight, zeros[0], zeros}), std::runtime_error);
}

TEST(QuantizeOps, DynamicRangeIncludesZero) {
  const Tensors y = run_op({"DynamicQuantizeLinear", {}, 17, 3}, {at::tensor({0.0F, 255.0F})});
  expect_values(y[0], {2}, {0, 255});
  expect_values(y[1], {}, {1});
  expect_values(y[2], {}, {0});
}

}  // namespace
}  // namespace atcav::plugin
