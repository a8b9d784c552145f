#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(ReduceOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({2, 3, 2});
  const std::vector<onnx::Attribute> axes = {integers("axes", {0, -1}), integer("keepdims", 0)};
  for (const char* op : {"ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                         "ReduceProd", "ReduceSum", "ReduceSumSquare"}) {
    EXPECT_LT(gradient_error({op, axes, 12}, {x}), 1e-7) << op;
  }
  EXPECT_LT(gradient_error({"ReduceLogSum", axes, 12}, {x + 2}), 1e-7);
}

TEST(ReduceOps, AxesMayBeAnInputAndNoneMeansAll) {
  const at::Tensor x = at::arange(6, at::kFloat).reshape({2, 3});
  expect_values(run_op({"ReduceSum"}, {x, at::tensor({1}, at::kLong)})[0], {2, 1}, {3, 12});
  expect_values(run_op({"ReduceSum"}, {x})[0], {1, 1}, {15});
  const OpCase nothing{"ReduceSum", {integer("noop_with_empty_axes", 1)}};
  EXPECT_EQ(run_op(nothing, {x})[0].sizes(), x.sizes());
}

TEST(ReduceOps, IntegersStayIntegers) {
  const at::Tensor x = at::tensor({1, 2, 4}, at::kInt);
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceL1", "ReduceProd"}) {
    EXPECT_EQ(run_op({op}, {x})[0].scalar_type(), at::kInt) << op;
  }
}

TEST(ReduceOps, AxisOutOfRangeIsNamed) {
  EXPECT_THROW(run_op({"ReduceSum"}, {at::ones({2}), at::tensor({2}, at::kLong)}), std::runtime_error);
}

TEST(OrderOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({3, 4});
  EXPECT_LT(gradient_error({"TopK"}, {x, at::tensor({2}, at::kLong)}), 1e-8);
  EXPECT_LT(gradient_error({"CumSum", {integer("reverse", 1)}}, {x, at::scalar_tensor(1, at::kLong)}), 1e-8);
  EXPECT_LT(gradient_error({"CumSum", {integer("exclusive", 1)}}, {x, at::scalar_tensor(0, at::kLong)}),
            1e-8);
  EXPECT_LT(gradient_error({"ReverseSequence"}, {x, at::tensor({1, 2, 3, 3}, at::kLong)}), 1e-8);
}

TEST(OrderOps, EqualElementsKeepTheirOrder) {
  const at::Tensor x = at::tensor({2.0, 7.0, 7.0, 1.0});
  const OpCase op{"TopK", {}, 17, 2};
  expect_values(run_op(op, {x, at::tensor({3}, at::kLong)})[1], {3}, {1, 2, 0});
  EXPECT_THROW(run_op(op, {x, at::tensor({5}, at::kLong)}), std::runtime_error);
}

TEST(OrderOps, ArgMaxTakesTheFirstOrTheLast) {
  const at::Tensor x = at::tensor({1.0, 7.0, 7.0});
  expect_values(run_op({"ArgMax"}, {x})[0], {1}, {1});
  expect_values(run_op({"ArgMax", {integer("select_last_index", 1)}}, {x})[0], {1}, {2});
  expect_values(run_op({"ArgMin", {integer("keepdims", 0)}}, {x})[0], {}, {0});
}

TEST(ReduceOps, ExtremesOfNothing) {
  const at::Tensor none = at::zeros({2, 0, 3}, at::kDouble);
  const at::Tensor axis = at::tensor({1}, at::kLong);
  const double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor most = run_op({"ReduceMax", {}, 20}, {none, axis})[0];
  EXPECT_EQ(most.sizes().vec(), (Sizes{2, 1, 3}));
  EXPECT_EQ(most[1][0][2].item<double>(), -infinity);
  EXPECT_EQ(run_op({"ReduceMin", {}, 20}, {none, axis})[0][0][0][0].item<double>(), infinity);
  EXPECT_FALSE(run_op({"ReduceMax", {}, 20}, {none.to(at::kBool), axis})[0][0][0][0].item<bool>());
  EXPECT_THROW(run_op({"ReduceMax", {}, 20}, {none.to(at::kInt), axis}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
