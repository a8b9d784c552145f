#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

// Without offsets it is a convolution, groups, strides, dilations and padding included.
TEST(DeformOps, NoOffsetIsAConvolution) {
  const at::Tensor x = numbers({2, 4, 6, 7}), weight = numbers({6, 2, 3, 2}, 1), bias = numbers({6}, 2);
  const std::vector<onnx::Attribute> attributes = {integer("group", 2), integers("strides", {2, 1}),
                                                   integers("dilations", {1, 2}),
                                                   integers("pads", {1, 0, 2, 1})};
  const at::Tensor plain = run_op({"Conv", attributes}, {x, weight, bias})[0];
  OpCase op{"DeformConv", attributes, 19};
  op.attributes.push_back(integer("offset_group", 2));
  const at::Tensor offset = at::zeros({2, 2 * 6 * 2, plain.size(2), plain.size(3)}, at::kDouble);
  EXPECT_TRUE(at::allclose(run_op(op, {x, weight, offset, bias})[0], plain));
  const at::Tensor half = at::full({2, 2 * 6, plain.size(2), plain.size(3)}, 0.5, at::kDouble);
  EXPECT_TRUE(
      at::allclose(run_op(op, {x, weight, offset, {}, half})[0], (plain - bias.reshape({1, -1, 1, 1})) / 2));
}

// One pixel down and two to the right: the image moved the other way.
TEST(DeformOps, OffsetsMoveTheImage) {
  const at::Tensor x = numbers({1, 1, 5, 5});
  at::Tensor offset = at::zeros({1, 2, 5, 5}, at::kDouble);
  offset.select(1, 0).fill_(1);
  offset.select(1, 1).fill_(2);
  const at::Tensor y = run_op({"DeformConv", {}, 19}, {x, at::ones({1, 1, 1, 1}, at::kDouble), offset})[0];
  EXPECT_TRUE(at::allclose(y.slice(2, 0, 4).slice(3, 0, 3), x.slice(2, 1).slice(3, 2)));
  EXPECT_EQ(y.slice(3, 3).abs().max().item<double>(), 0);
}

TEST(DeformOps, Gradients) {
  const at::Tensor x = numbers({1, 2, 4, 4}), weight = numbers({2, 2, 2, 2}, 1);
  const at::Tensor offset = numbers({1, 8, 3, 3}, 2) * 0.4;
  const at::Tensor mask = numbers({1, 4, 3, 3}, 4);
  const OpCase op{"DeformConv", {}, 19};
  for (const std::size_t which : {0U, 1U, 2U, 4U})
    EXPECT_LT(gradient_error(op, {x, weight, offset, at::zeros({2}, at::kDouble), mask}, which), 1e-7);
}

// In two halves with the state between them as in one go.
TEST(DeformOps, CausalConvolutionGoesOnFromItsState) {
  const at::Tensor x = numbers({2, 3, 8}), weight = numbers({3, 1, 4}, 1), bias = numbers({3}, 2);
  const OpCase op{"CausalConvWithState", {text("activation", "silu")}, 27, 2};
  const at::Tensor whole = run_op(op, {x, weight, bias})[0];
  const at::Tensor padded = at::constant_pad_nd(x, {3, 0});
  EXPECT_TRUE(
      at::allclose(whole, at::silu(at::convolution(padded, weight, bias, {1}, {0}, {1}, false, {0}, 3))));
  const Tensors first = run_op(op, {x.slice(2, 0, 5), weight, bias});
  const Tensors second = run_op(op, {x.slice(2, 5), weight, bias, first[1]});
  EXPECT_TRUE(at::allclose(at::cat({first[0], second[0]}, 2), whole));
}

}  // namespace
}  // namespace atcav::plugin
