#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(ActivationOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({4, 5}) * 3;
  for (const char* op : {"Celu", "Elu", "Gelu", "HardSigmoid", "HardSwish", "LeakyRelu", "Mish", "Relu",
                         "Selu", "Sigmoid", "Softplus", "Softsign", "ThresholdedRelu", "Shrink"}) {
    EXPECT_LT(gradient_error({op}, {x}), 1e-7) << op;
  }
  EXPECT_LT(gradient_error({"Gelu", {text("approximate", "tanh")}}, {x}), 1e-7);
  EXPECT_LT(gradient_error({"PRelu"}, {x, at::full({5}, 0.3, at::kDouble)}), 1e-8);
  EXPECT_LT(gradient_error({"Clip", {real("min", -1), real("max", 2)}, 6}, {x}), 1e-8);
}

// Closed forms at 1: x·Φ(x), x·tanh(log(1+e^x)), x·min(max(0, x/6 + ½), 1).
TEST(ActivationOps, KnownValuesAtOne) {
  const at::Tensor one = at::ones({1}, at::kDouble);
  expect_values(run_op({"Gelu"}, {one})[0], {1}, {0.8413447460685429});
  expect_values(run_op({"Mish"}, {one})[0], {1}, {0.8650983882673103});
  expect_values(run_op({"HardSwish"}, {one})[0], {1}, {2.0 / 3});
}

TEST(ActivationOps, ClipTakesLimitsAsInputsAndKeepsIntegers) {
  const at::Tensor x = at::tensor({-5, 0, 5}, at::kLong);
  expect_values(run_op({"Clip"}, {x, at::scalar_tensor(-1, at::kLong), at::Tensor()})[0], {3}, {-1, 0, 5});
  EXPECT_EQ(run_op({"Clip"}, {x})[0].scalar_type(), at::kLong);
}

TEST(ActivationOps, PReluSlopePerChannelIsRecognised) {
  const at::Tensor x = at::full({1, 2, 2, 2}, -1.0);
  const at::Tensor y = run_op({"PRelu"}, {x, at::tensor({0.5F, 0.25F})})[0];
  expect_values(y, {1, 2, 2, 2}, {-0.5, -0.5, -0.5, -0.5, -0.25, -0.25, -0.25, -0.25});
}

TEST(ActivationOps, GeluRefusesOtherApproximations) {
  EXPECT_THROW(run_op({"Gelu", {text("approximate", "sine")}}, {at::ones({1})}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
