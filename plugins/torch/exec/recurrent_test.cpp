#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

// Three steps, batch of two, three inputs, two hidden units.
Tensors weights(std::int64_t gates, std::int64_t directions = 1) {
  return {numbers({3, 2, 3}), numbers({directions, gates * 2, 3}, 1), numbers({directions, gates * 2, 2}, 2),
          numbers({directions, 2 * gates * 2}, 3)};
}

TEST(RecurrentOps, GradientsMatchCentralDifferences) {
  EXPECT_LT(gradient_error({"RNN"}, weights(1)), 1e-8);
  EXPECT_LT(gradient_error({"GRU"}, weights(3)), 1e-8);
  EXPECT_LT(gradient_error({"GRU", {integer("linear_before_reset", 1)}}, weights(3)), 1e-8);
  EXPECT_LT(gradient_error({"LSTM"}, weights(4)), 1e-8);
  EXPECT_LT(gradient_error({"LSTM", {text("direction", "bidirectional")}}, weights(4, 2)), 1e-8);
}

// PyTorch's own LSTM with its gate order (i f g o) instead of ONNX's (i o f c).
TEST(RecurrentOps, LstmAgreesWithPyTorch) {
  const Tensors in = weights(4);
  const auto reordered = [](const at::Tensor& rows) {
    const Tensors gate = rows.chunk(4, 0);
    return at::cat({gate[0], gate[2], gate[3], gate[1]});
  };
  const Tensors bias = in[3][0].chunk(2, 0);
  const at::Tensor state = at::zeros({1, 2, 2}, at::kDouble);
  const auto expected =
      at::lstm(in[0], {state, state},
               {reordered(in[1][0]), reordered(in[2][0]), reordered(bias[0]), reordered(bias[1])}, true, 1, 0,
               false, false, false);
  const Tensors got = run_op({"LSTM", {}, 17, 3}, in);
  EXPECT_TRUE(at::allclose(got[0].squeeze(1), std::get<0>(expected)));
  EXPECT_TRUE(at::allclose(got[2], std::get<2>(expected)));
}

// Beyond its length a sequence gives zeros and its state stays.
TEST(RecurrentOps, ShortSequencesStop) {
  Tensors in = weights(3);
  in.push_back(at::tensor({3, 1}, at::kInt));
  const Tensors got = run_op({"GRU", {}, 17, 2}, in);
  expect_values(got[0][1][0][1], {2}, {0, 0});
  EXPECT_TRUE(at::equal(got[1][0][1], got[0][0][0][1]));
}

TEST(RecurrentOps, OneInitialStateServesTheWholeBatch) {
  Tensors in = weights(1);
  in.emplace_back();
  in.push_back(numbers({1, 1, 2}, 5));
  EXPECT_EQ(run_op({"RNN"}, in)[0].sizes().vec(), (Sizes{3, 1, 2, 2}));
}

}  // namespace
}  // namespace atcav::plugin
