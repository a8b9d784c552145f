#include <ATen/Parallel.h>

#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

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
