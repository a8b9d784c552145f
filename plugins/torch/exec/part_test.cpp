#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

at::Tensor list(std::vector<std::int64_t> values) { return at::tensor(values, at::kLong); }

TEST(PartOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({3, 4});
  EXPECT_LT(gradient_error({"Concat", {integer("axis", 1)}}, {x, numbers({3, 2}, 1)}, 1), 1e-8);
  EXPECT_LT(gradient_error({"Split", {integer("axis", 1)}, 17, 2}, {x}), 1e-8);
  EXPECT_LT(gradient_error({"Slice"}, {x, list({3}), list({-9}), list({1}), list({-2})}), 1e-8);
  for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
    EXPECT_LT(gradient_error({"Pad", {text("mode", mode)}}, {x, list({1, 0, 2, 1})}), 1e-8) << mode;
  }
  EXPECT_LT(gradient_error({"Compress", {integer("axis", 0)}}, {x, at::tensor({1, 0, 1}, at::kLong)}), 1e-8);
}

// NumPy: arange(10)[8:1:-3], [::-1], [5:5], [-3:100].
TEST(PartOps, SliceFollowsNumPy) {
  const at::Tensor x = at::arange(10, at::kLong);
  const auto sliced = [&](std::int64_t start, std::int64_t end, std::int64_t step) {
    return run_op({"Slice"}, {x, list({start}), list({end}), list({0}), list({step})})[0];
  };
  expect_values(sliced(8, 1, -3), {3}, {8, 5, 2});
  expect_values(sliced(-1, std::numeric_limits<std::int64_t>::min(), -1), {10},
                {9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  expect_values(sliced(5, 5, 1), {0}, {});
  expect_values(sliced(-3, std::numeric_limits<std::int64_t>::max(), 1), {3}, {7, 8, 9});
  EXPECT_THROW(sliced(0, 1, 0), std::runtime_error);
}

TEST(PartOps, PadModesRepeatTheInput) {
  const at::Tensor x = at::arange(3, at::kFloat);
  const auto padded = [&](const char* mode) {
    return run_op({"Pad", {text("mode", mode)}}, {x, list({2, 2})})[0];
  };
  expect_values(padded("constant"), {7}, {0, 0, 0, 1, 2, 0, 0});
  expect_values(padded("reflect"), {7}, {2, 1, 0, 1, 2, 1, 0});
  expect_values(padded("edge"), {7}, {0, 0, 0, 1, 2, 2, 2});
  expect_values(padded("wrap"), {7}, {1, 2, 0, 1, 2, 0, 1});
  EXPECT_THROW(padded("mirror"), std::runtime_error);
}

TEST(PartOps, ConcatRepeatsAConstantMadeForOneExample) {
  const onnx::Node concat = node("Concat", {"token", "patches"}, {"y"}, {integer("axis", 1)});
  const Call call(concat, 17, {at::ones({1, 1, 2}), at::zeros({3, 2, 2})}, {0, 3, 1});
  EXPECT_EQ(find_op(concat)->function(call)[0].sizes().vec(), (Sizes{3, 3, 2}));
}

TEST(PartOps, SplitIntoUnequalPartsLeavesTheSmallerLast) {
  const Tensors parts = run_op({"Split", {}, 18, 2}, {at::arange(5, at::kFloat)});
  expect_values(parts[0], {3}, {0, 1, 2});
  expect_values(parts[1], {2}, {3, 4});
  EXPECT_THROW(run_op({"Split"}, {at::ones({5}), list({2, 2})}), std::runtime_error);
}

TEST(PartOps, SplitIntoNothingIsNoDivisionByZero) {
  EXPECT_NO_THROW(run_op({"Split", {}, 13, 0}, {at::ones({4})}));
}

}  // namespace
}  // namespace atcav::plugin
