#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(PoolOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({1, 2, 5, 4});
  const std::vector<onnx::Attribute> uneven = {integers("kernel_shape", {3, 2}),
                                               integers("pads", {1, 0, 2, 1}), integers("strides", {2, 1}),
                                               integer("ceil_mode", 1)};
  for (const char* op : {"MaxPool", "AveragePool"}) EXPECT_LT(gradient_error({op, uneven}, {x}), 1e-8) << op;
  EXPECT_LT(gradient_error({"LpPool", {integers("kernel_shape", {2, 2})}}, {x}), 1e-7);
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"}) {
    EXPECT_LT(gradient_error({op}, {x}), 1e-7) << op;
  }
}

// 0 1 2 3 4 with one zero in front and windows of 3: sums 1, 3+3, over 2 or 3 elements in the first window.
TEST(PoolOps, AverageCountsPaddingOnlyWhenTold) {
  const at::Tensor x = at::arange(5, at::kFloat).reshape({1, 1, 5});
  const auto pooled = [&](std::int64_t with_pad) {
    return run_op({"AveragePool",
                   {integers("kernel_shape", {3}), integers("pads", {1, 0}), integers("strides", {3}),
                    integer("count_include_pad", with_pad)}},
                  {x})[0];
  };
  expect_values(pooled(0), {1, 1, 2}, {0.5, 3});
  expect_values(pooled(1), {1, 1, 2}, {1.0 / 3, 3});
}

// Padding wider than half a window, which ATen itself refuses: some windows see one real element.
TEST(PoolOps, WidePaddingIsDoneByHand) {
  const at::Tensor x = at::full({1, 1, 2}, 7.0);
  const OpCase op{"MaxPool", {integers("kernel_shape", {3}), integers("pads", {2, 2})}};
  expect_values(run_op(op, {x})[0], {1, 1, 4}, {7, 7, 7, 7});
}

TEST(PoolOps, AverageWithDilation) {
  const at::Tensor x = at::arange(5, at::kFloat).reshape({1, 1, 5});
  const OpCase op{"AveragePool", {integers("kernel_shape", {2}), integers("dilations", {3})}, 19};
  expect_values(run_op(op, {x})[0], {1, 1, 2}, {1.5, 2.5});
}

TEST(PoolOps, IndicesCountThroughTheWholeTensor) {
  const at::Tensor x = at::tensor({1.0F, 5.0F, 2.0F, 3.0F, 0.0F, 9.0F, 8.0F, 7.0F}).reshape({1, 2, 2, 2});
  OpCase op{"MaxPool", {integers("kernel_shape", {2, 2})}, 12, 2};
  expect_values(run_op(op, {x})[1], {1, 2, 1, 1}, {1, 5});
  op.attributes.push_back(integer("storage_order", 1));
  expect_values(run_op(op, {x})[1], {1, 2, 1, 1}, {2, 6});
}

TEST(PoolOps, UnpoolPutsValuesBack) {
  const at::Tensor x = at::tensor({5.0F, 9.0F}).reshape({1, 1, 2});
  const OpCase op{"MaxUnpool", {integers("kernel_shape", {2}), integers("strides", {2})}};
  expect_values(run_op(op, {x, at::tensor({1, 2}, at::kLong).reshape({1, 1, 2})})[0], {1, 1, 4},
                {0, 5, 9, 0});
}

}  // namespace
}  // namespace atcav::plugin
