#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

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

}  // namespace
}  // namespace atcav::plugin
