#include <ATen/Parallel.h>

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

TEST(ConvOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({1, 2, 4, 5});
  const at::Tensor weight = numbers({4, 1, 3, 2}, 1);
  const std::vector<onnx::Attribute> uneven = {integer("group", 2), integers("pads", {1, 0, 2, 1}),
                                               integers("strides", {2, 1})};
  EXPECT_LT(gradient_error({"Conv", uneven}, {x, weight, numbers({4}, 2)}), 1e-8);
  const at::Tensor back = numbers({2, 3, 2, 2}, 1);
  EXPECT_LT(gradient_error({"ConvTranspose", {integers("strides", {2, 2}), integers("pads", {1, 0, 0, 1})}},
                           {x, back}),
            1e-8);
}

// ATen's choice of algorithm must not depend on the number of threads: same bits, forward and backward.
TEST(ConvOps, OnePixelFiltersAreTheSameForAnyNumberOfThreads) {
  const at::Tensor weight = numbers({5, 6, 1, 1}, 1).to(at::kFloat);
  const auto run = [&](int threads) {
    at::set_num_threads(threads);
    const at::AutoGradMode with_grad(true);
    const at::Tensor x = numbers({4, 6, 9, 9}).to(at::kFloat).set_requires_grad(true);
    const at::Tensor y = run_op({"Conv"}, {x, weight})[0];
    return std::pair(y.detach(), torch::autograd::grad({y.square().sum()}, {x})[0]);
  };
  const int before = at::get_num_threads();
  const auto one = run(1);
  const auto two = run(2);
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(one.first, two.first));
  EXPECT_TRUE(at::equal(one.second, two.second));
  const at::Tensor exact = at::einsum("oi,nihw->nohw", {numbers({5, 6}, 1), numbers({4, 6, 9, 9})});
  EXPECT_LT((one.first - exact).abs().max().item<double>(), 1e-6);  // sums of six in float
}

// A box of ones: every output is the number of inputs under the window.
TEST(ConvOps, UnevenPaddingIsKeptUneven) {
  const at::Tensor ones = at::ones({1, 1, 3});
  const at::Tensor y = run_op({"Conv", {integers("pads", {2, 0})}}, {ones, ones})[0];
  expect_values(y, {1, 1, 3}, {1, 2, 3});
}

// Output size (3 − 1)·2 + 2 + 1 − 1 = 6; each input puts two ones two apart, one is cut off in front.
TEST(ConvOps, TransposedWithOutputPadding) {
  const std::vector<onnx::Attribute> attributes = {integers("strides", {2}), integers("pads", {1, 0}),
                                                   integers("output_padding", {1})};
  const at::Tensor y =
      run_op({"ConvTranspose", attributes}, {at::ones({1, 1, 3}), at::ones({1, 1, 2}), at::ones({1})})[0];
  expect_values(y, {1, 1, 6}, {2, 2, 2, 2, 2, 1});
}

TEST(ConvOps, TransposedOutputShapeDecidesThePadding) {
  const std::vector<onnx::Attribute> attributes = {integers("strides", {2}), integers("output_shape", {5})};
  EXPECT_EQ(run_op({"ConvTranspose", attributes}, {at::ones({1, 1, 3}), at::ones({1, 1, 3})})[0].size(2), 5);
}

}  // namespace
}  // namespace atcav::plugin
