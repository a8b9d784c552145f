#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(SoftmaxOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({2, 3, 2});
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    EXPECT_LT(gradient_error({op, {integer("axis", 1)}}, {x}), 1e-8) << op;
    EXPECT_LT(gradient_error({op, {integer("axis", 1)}, 11}, {x}), 1e-8) << op;
  }
}

// Before opset 13 everything from the axis on is one row: the sum over 3·2 elements is 1, not over 3.
TEST(SoftmaxOps, OldMeaningSpansAllLaterAxes) {
  const at::Tensor x = numbers({2, 3, 2});
  const at::Tensor before = run_op({"Softmax", {}, 11}, {x})[0];
  expect_values(before.sum({1, 2}), {2}, {1, 1});
  const at::Tensor since = run_op({"Softmax", {}, 13}, {x})[0];
  expect_values(since.sum({2}), {2, 3}, {1, 1, 1, 1, 1, 1});
}

TEST(SoftmaxOps, HardmaxMarksTheFirstLargest) {
  expect_values(run_op({"Hardmax"}, {at::tensor({1.0, 3.0, 3.0})})[0], {3}, {0, 1, 0});
}

}  // namespace
}  // namespace atcav::plugin
