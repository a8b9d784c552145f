#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(NormalizeOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({2, 4, 3});
  const at::Tensor scale = numbers({4}, 1);
  const at::Tensor shift = numbers({4}, 2);
  EXPECT_LT(
      gradient_error({"BatchNormalization"}, {x, scale, shift, numbers({4}, 3), numbers({4}, 4).abs() + 1}),
      1e-8);
  EXPECT_LT(gradient_error({"InstanceNormalization"}, {x, scale, shift}), 1e-5);
  EXPECT_LT(gradient_error({"LayerNormalization"}, {x, numbers({3}, 1), numbers({3}, 2)}), 1e-5);
  EXPECT_LT(gradient_error({"GroupNormalization", {integer("num_groups", 2)}, 21}, {x, scale, shift}), 1e-6);
  EXPECT_LT(gradient_error({"LRN", {integer("size", 3), real("alpha", 0.5)}}, {x}), 1e-8);
  EXPECT_LT(gradient_error({"MeanVarianceNormalization", {integers("axes", {0, 2})}}, {x}), 1e-6);
  EXPECT_LT(gradient_error({"LpNormalization", {integer("p", 2)}}, {x}), 1e-6);
  EXPECT_LT(gradient_error({"LpNormalization", {integer("p", 1)}}, {x}), 1e-6);
}

// Two equal elements per group leave nothing after the mean; scale per group (18) and per channel (21).
TEST(NormalizeOps, GroupScaleMayBePerGroupOrPerChannel) {
  const at::Tensor x = at::tensor({-1.0, 1.0, -1.0, 1.0}).reshape({1, 4, 1});
  const OpCase op{"GroupNormalization", {integer("num_groups", 2), real("epsilon", 0)}, 18};
  expect_values(run_op(op, {x, at::tensor({2.0, 3.0}), at::zeros({2}, at::kDouble)})[0], {1, 4, 1},
                {-2, 2, -3, 3});
  expect_values(run_op(op, {x, at::tensor({2.0, 3.0, 4.0, 5.0}), at::zeros({4}, at::kDouble)})[0], {1, 4, 1},
                {-2, 3, -4, 5});
}

TEST(NormalizeOps, LayerNormReturnsMeanAndInverseDeviation) {
  const OpCase op{"LayerNormalization", {real("epsilon", 0)}, 17, 3};
  const Tensors y = run_op(op, {at::tensor({1.0, 3.0}).reshape({1, 2}), at::ones({1}, at::kDouble)});
  expect_values(y[0], {1, 2}, {-1, 1});
  expect_values(y[1], {1, 1}, {2});
  expect_values(y[2], {1, 1}, {1});
}

// One channel of three is 2, α/size·Σx² = 1/2·(4) for its neighbour window of two.
TEST(NormalizeOps, LrnWindowReachesFurtherToTheRight) {
  const at::Tensor x = at::tensor({0.0, 2.0, 1.0}).reshape({1, 3, 1, 1});
  const OpCase op{"LRN", {integer("size", 2), real("alpha", 1), real("beta", 1), real("bias", 1)}};
  expect_values(run_op(op, {x})[0], {1, 3, 1, 1}, {0, 2 / 3.5, 1 / 1.5});
}

TEST(NormalizeOps, BatchNormInTrainingModeUpdatesItsStatistics) {
  const at::Tensor x = at::tensor({1.0, 3.0}).reshape({2, 1});
  const OpCase op{
      "BatchNormalization", {integer("training_mode", 1), real("momentum", 0.5), real("epsilon", 0)}, 15, 3};
  const at::Tensor one = at::ones({1}, at::kDouble);
  const Tensors y = run_op(op, {x, one, one * 0, one * 0, one});
  expect_values(y[0], {2, 1}, {-1, 1});
  expect_values(y[1], {1}, {1});
  expect_values(y[2], {1}, {1});
}

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

// More neighbours than channels: all of them are summed, and soon.
TEST(NormalizeOps, LrnLooksNoFartherThanTheChannels) {
  const auto size = std::int64_t{1} << 40;
  const OpCase op{"LRN", {integer("size", size), real("alpha", static_cast<float>(size)), real("beta", 1)}};
  const at::Tensor x = at::tensor({1.0, 2.0, 3.0}).reshape({1, 3, 1, 1});
  expect_values(run_op(op, {x})[0], {1, 3, 1, 1}, {1.0 / 15, 2.0 / 15, 3.0 / 15});
}

}  // namespace
}  // namespace atcav::plugin
