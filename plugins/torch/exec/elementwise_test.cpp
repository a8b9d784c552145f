#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

// Smooth on (−1, 1) after the shift in each case.
TEST(UnaryOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({3, 4});
  for (const char* op : {"Abs", "Asinh", "Atan", "Cos", "Cosh", "Erf", "Exp", "Neg", "Reciprocal", "Sin",
                         "Sinh", "Tan", "Tanh"}) {
    // Reciprocal's third derivative reaches 6/0.02⁴ near 0.
    EXPECT_LT(gradient_error({op}, {std::string(op) == "Reciprocal" ? x + 3 : x}), 1e-7) << op;
  }
  for (const char* op : {"Acos", "Asin", "Atanh"}) EXPECT_LT(gradient_error({op}, {x * 0.7}), 1e-7) << op;
  for (const char* op : {"Log", "Sqrt", "Acosh"}) EXPECT_LT(gradient_error({op}, {x + 3}), 1e-7) << op;
}

TEST(UnaryOps, RoundGoesToTheEvenNumber) {
  expect_values(run_op({"Round"}, {at::tensor({0.5, 1.5, 2.5, -0.5})})[0], {4}, {0, 2, 2, 0});
}

TEST(UnaryOps, IsInfCanLookForOneSignOnly) {
  const double infinity = std::numeric_limits<double>::infinity();
  const at::Tensor x = at::tensor({infinity, -infinity, 1.0});
  expect_values(run_op({"IsInf"}, {x})[0], {3}, {1, 1, 0});
  expect_values(run_op({"IsInf", {integer("detect_negative", 0)}}, {x})[0], {3}, {1, 0, 0});
  expect_values(run_op({"IsInf", {integer("detect_positive", 0)}}, {x})[0], {3}, {0, 1, 0});
}

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

// The processor ends a program that divides the smallest integer by −1.
TEST(BinaryOps, TheSmallestIntegerCanBeDividedByMinusOne) {
  for (const at::ScalarType type : {at::kInt, at::kLong}) {
    const at::Tensor least = at::full({2},
                                      type == at::kInt ? std::numeric_limits<std::int32_t>::min()
                                                       : std::numeric_limits<std::int64_t>::min(),
                                      type);
    const at::Tensor divisor = at::tensor({-1, 1}, type);
    EXPECT_TRUE(at::equal(run_op({"Div"}, {least, divisor})[0], least)) << "as two's complement has it";
    expect_values(run_op({"Mod"}, {least, divisor})[0], {2}, {0, 0});
    expect_values(run_op({"Mod", {integer("fmod", 1)}}, {least, divisor})[0], {2}, {0, 0});
  }
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

// The processor traps here; a file or an input must not be able to do that.
TEST(ElementwiseOps, TheSmallestIntegerByMinusOneWrapsAround) {
  for (const auto type : {at::kInt, at::kLong}) {
    const double least = type == at::kInt ? -2147483648.0 : -9223372036854775808.0;
    const at::Tensor a = at::tensor({least, -7.0, 7.0}, at::kDouble).to(type);
    const at::Tensor b = at::tensor({-1, -1, 2}, at::kLong).to(type);
    expect_values(run_op({"Div"}, {a, b})[0], {3}, {least, 7, 3});
    expect_values(run_op({"Mod"}, {a, b})[0], {3}, {0, 0, 1});
    expect_values(run_op({"Mod", {integer("fmod", 1)}}, {a, b})[0], {3}, {0, 0, 1});
  }
  const at::Tensor byte = at::tensor({255, 8}, at::kLong).to(at::kByte);
  expect_values(run_op({"Div"}, {byte, byte})[0], {2}, {1, 1});
}

TEST(ElementwiseOps, ShiftsBeyondTheWidthLeaveTheSign) {
  const at::Tensor x = at::tensor({-8, 4, -1}, at::kInt);
  const at::Tensor far = at::tensor({32, -1, 100}, at::kInt);
  expect_values(run_op({"BitShift", {text("direction", "LEFT")}}, {x, far})[0], {3}, {0, 0, 0});
  expect_values(run_op({"BitShift", {text("direction", "RIGHT")}}, {x, far})[0], {3}, {-1, 0, -1});
  const at::Tensor two = at::full({3}, 2, at::kInt);
  expect_values(run_op({"BitShift", {text("direction", "RIGHT")}}, {x, two})[0], {3}, {-2, 1, -1});
  EXPECT_THROW(run_op({"BitShift", {text("direction", "UP")}}, {x, two}), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
