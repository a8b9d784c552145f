#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(CreateOps, ConstantHoldsWhateverItsAttributeHolds) {
  onnx::Attribute whole;
  whole.name = "value";
  whole.kind = onnx::Attribute::Kind::kTensor;
  whole.tensor = floats("", {2}, {1, 2});
  expect_values(run_op({"Constant", {whole}}, {})[0], {2}, {1, 2});
  expect_values(run_op({"Constant", {integer("value_int", 7)}}, {})[0], {}, {7});
  expect_values(run_op({"Constant", {integers("value_ints", {7, 8})}}, {})[0], {2}, {7, 8});
  EXPECT_THROW(run_op({"Constant", {text("value_string", "x")}}, {}), std::runtime_error);
  EXPECT_THROW(run_op({"Constant"}, {}), std::runtime_error);
}

TEST(CreateOps, ConstantOfShapeRefusesAbsurdShapes) {
  const auto of = [](std::vector<std::int64_t> shape) {
    return run_op({"ConstantOfShape"}, {at::tensor(shape, at::kLong)})[0];
  };
  expect_values(of({2, 0}), {2, 0}, {});
  EXPECT_THROW(of({1'000'000, 1'000'000}), std::runtime_error);
  EXPECT_THROW(of({-1}), std::runtime_error);
}

TEST(CreateOps, RangeStopsBeforeTheLimit) {
  const auto number = [](double value) { return at::scalar_tensor(value, at::kDouble); };
  expect_values(run_op({"Range"}, {number(1), number(2), number(0.25)})[0], {4}, {1, 1.25, 1.5, 1.75});
  expect_values(run_op({"Range"}, {number(3), number(0), number(-2)})[0], {2}, {3, 1});
  EXPECT_THROW(run_op({"Range"}, {number(0), number(1), number(0)}), std::runtime_error);
}

TEST(CreateOps, CastRoundsAsTheNarrowTypeDoes) {
  const auto cast = [](double x, onnx::Type type) {
    return run_op({"Cast", {integer("to", static_cast<int>(type))}}, {at::tensor({x})})[0].item<double>();
  };
  EXPECT_EQ(cast(1.0 / 3, onnx::Type::kFloat16), 0.333251953125);
  EXPECT_EQ(cast(1.0 / 3, onnx::Type::kBfloat16), 0.333984375);
  EXPECT_EQ(cast(65537, onnx::Type::kUint16), 1);
  EXPECT_EQ(cast(-1.5, onnx::Type::kInt64), -1);
  EXPECT_THROW(cast(1, onnx::Type::kString), std::runtime_error);
}

TEST(CreateOps, EyeLikeShiftsItsDiagonal) {
  expect_values(run_op({"EyeLike", {integer("k", 1)}}, {at::zeros({2, 3})})[0], {2, 3}, {0, 1, 0, 0, 0, 1});
}

TEST(CreateOps, GradientsPassThroughCasts) {
  EXPECT_LT(gradient_error({"Cast", {integer("to", static_cast<int>(onnx::Type::kFloat64))}}, {numbers({3})}),
            1e-8);
}

}  // namespace
}  // namespace atcav::plugin
