#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

TEST(LinearOps, GradientsMatchCentralDifferences) {
  const at::Tensor a = numbers({3, 2});
  const at::Tensor b = numbers({3, 4}, 1);
  const OpCase gemm{"Gemm", {integer("transA", 1), real("alpha", 0.5), real("beta", 2)}};
  EXPECT_LT(gradient_error(gemm, {a, b, numbers({4}, 2)}), 1e-8);
  EXPECT_LT(gradient_error({"MatMul"}, {numbers({2, 2, 3}), b}), 1e-8);
  EXPECT_LT(gradient_error({"Einsum", {text("equation", "ki, kj -> ij")}}, {a, b}), 1e-8);
  EXPECT_LT(gradient_error({"Det"}, {numbers({3, 3})}), 1e-7);
}

TEST(LinearOps, GemmScalesBothTerms) {
  const at::Tensor eye = at::eye(2);
  const OpCase op{"Gemm", {real("alpha", 3), real("beta", 2)}};
  expect_values(run_op(op, {eye, eye, at::ones({1})})[0], {2, 2}, {5, 2, 2, 5});
  expect_values(run_op(op, {eye, eye})[0], {2, 2}, {3, 0, 0, 3});
  const at::Tensor whole = at::eye(2, at::kLong);
  EXPECT_EQ(run_op(op, {whole, whole, whole})[0].scalar_type(), at::kLong);
}

}  // namespace
}  // namespace atcav::plugin
