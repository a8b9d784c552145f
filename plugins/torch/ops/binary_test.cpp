#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(BinaryOps, GradientsMatchCentralDifferencesForBothOperands) {
  const at::Tensor a = numbers({2, 3});
  const at::Tensor b = numbers({3}, 1) + 3;
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Max", "Min", "Mean", "Sum"}) {
    EXPECT_LT(gradient_error({op}, {a, b}, 0), 1e-8) << op;
    EXPECT_LT(gradient_error({op}, {a, b}, 1), 1e-8) << op;
  }
  EXPECT_LT(gradient_error({"Pow"}, {a + 2, b}, 0), 1e-6);
  EXPECT_LT(gradient_error({"Where"}, {a > 0, a, a * 2}, 1), 1e-8);
}

TEST(BinaryOps, IntegerDivisionCutsOffTowardsZero) {
  expect_values(run_op({"Div"}, {at::tensor({7, -7}), at::tensor({2, 2})})[0], {2}, {3, -3});
}

TEST(BinaryOps, ModFollowsTheDivisorUnlessToldToFollowC) {
  const at::Tensor a = at::tensor({-4, 7});
  const at::Tensor b = at::tensor({3, -3});
  expect_values(run_op({"Mod"}, {a, b})[0], {2}, {2, -2});
  expect_values(run_op({"Mod", {integer("fmod", 1)}}, {a, b})[0], {2}, {-1, 1});
}

TEST(BinaryOps, OldBroadcastLinesUpAtTheAxis) {
  const OpCase op{"Add", {integer("broadcast", 1), integer("axis", 0)}, 6};
  expect_values(run_op(op, {at::zeros({2, 2}), at::tensor({1.0, 2.0})})[0], {2, 2}, {1, 1, 2, 2});
}

TEST(BinaryOps, BitShiftNeedsADirection) {
  const at::Tensor one = at::tensor({1, 8});
  expect_values(run_op({"BitShift", {text("direction", "LEFT")}}, {one, one})[0], {2}, {2, 2048});
  EXPECT_THROW(run_op({"BitShift"}, {one, one}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
