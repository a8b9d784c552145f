#include "plugins/torch/exec/window.h"

#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

Window window_of(std::vector<onnx::Attribute> attributes, Sizes kernel) {
  const onnx::Node pool = node("AveragePool", {"x"}, {"y"}, std::move(attributes), "pool");
  return read_window(Call(pool, 17, {at::zeros({1, 1, 5, 6})}), at::zeros({1, 1, 5, 6}), std::move(kernel));
}

TEST(ReadWindow, DefaultsAreOneStepAndNoPadding) {
  const Window window = window_of({}, {3, 2});
  EXPECT_EQ(window.stride, (Sizes{1, 1}));
  EXPECT_EQ(window.end, (Sizes{0, 0}));
  EXPECT_TRUE(window.symmetric());
  EXPECT_EQ(window.span(0), 3);
}

// 5 inputs, stride 2 → 3 outputs, which need 2·2 + 3 − 5 = 2; 6 inputs → 3 outputs, 2·2 + 3 − 6 = 1.
TEST(ReadWindow, AutoPadPutsTheOddOneWhereItIsAskedTo) {
  const auto upper = window_of({text("auto_pad", "SAME_UPPER"), integers("strides", {2, 2})}, {3, 3});
  EXPECT_EQ(upper.begin, (Sizes{1, 0}));
  EXPECT_EQ(upper.end, (Sizes{1, 1}));
  const auto lower = window_of({text("auto_pad", "SAME_LOWER"), integers("strides", {2, 2})}, {3, 3});
  EXPECT_EQ(lower.begin, (Sizes{1, 1}));
  EXPECT_EQ(lower.end, (Sizes{1, 0}));
}

TEST(ReadWindow, RefusesNonsense) {
  EXPECT_THROW(window_of({integers("strides", {0, 1})}, {3, 3}), std::runtime_error);
  EXPECT_THROW(window_of({integers("pads", {1, 1})}, {3, 3}), std::runtime_error);
  EXPECT_THROW(window_of({integers("pads", {-1, 0, 0, 0})}, {3, 3}), std::runtime_error);
  EXPECT_THROW(window_of({text("auto_pad", "SOME")}, {3, 3}), std::runtime_error);
  EXPECT_THROW(window_of({}, {3}), std::runtime_error);
}

TEST(PadSpatial, NegativeNumbersCutOff) {
  const at::Tensor x = at::arange(4, at::kFloat).reshape({1, 1, 4});
  expect_values(pad_spatial(x, {-1}, {1}, 9), {1, 1, 4}, {1, 2, 3, 9});
}

}  // namespace
}  // namespace atcav::plugin
