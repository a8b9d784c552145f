#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using testing_support::expect_values;
using testing_support::gradient_error;
using testing_support::integer;
using testing_support::integers;
using testing_support::numbers;
using testing_support::OpCase;
using testing_support::run_op;

TEST(DetectOps, OverlappingBoxesGive) {
  const at::Tensor boxes =
      at::tensor({0.0F, 0.0F, 1.0F, 1.0F, 0.0F, 0.1F, 1.0F, 1.1F, 0.0F, 10.0F, 1.0F, 11.0F})
          .reshape({1, 3, 4});
  const at::Tensor scores = at::tensor({0.9F, 0.95F, 0.3F}).reshape({1, 1, 3});
  const auto kept = [&](double threshold) {
    return run_op({"NonMaxSuppression"}, {boxes, scores, at::scalar_tensor(3, at::kLong),
                                          at::scalar_tensor(0.5), at::scalar_tensor(threshold)})[0];
  };
  expect_values(kept(0), {2, 3}, {0, 0, 1, 0, 0, 2});
  expect_values(kept(0.5), {1, 3}, {0, 0, 1});
}

// A region of whole pixels sampled in their middles is the mean of those pixels.
TEST(DetectOps, RegionsAreAveraged) {
  const at::Tensor x = at::arange(16, at::kDouble).reshape({1, 1, 4, 4});
  const at::Tensor roi = at::tensor({0.0, 0.0, 4.0, 4.0}).reshape({1, 4});
  const OpCase op{"RoiAlign",
                  {integer("output_height", 2), integer("output_width", 2), integer("sampling_ratio", 2)},
                  16};
  expect_values(run_op(op, {x, roi, at::zeros({1}, at::kLong)})[0], {1, 1, 2, 2}, {2.5, 4.5, 10.5, 12.5});
  EXPECT_LT(gradient_error(op, {numbers({1, 2, 4, 4}), at::tensor({0.3, 0.2, 3.1, 2.9}).reshape({1, 4}),
                                at::zeros({1}, at::kLong)}),
            1e-8);
}

TEST(DetectOps, UniqueKeepsTheFirst) {
  const at::Tensor x = at::tensor({2.0F, 1.0F, 1.0F, 3.0F, 2.0F});
  Tensors y = run_op({"Unique", {}, 11, 4}, {x});
  expect_values(y[0], {3}, {1, 2, 3});
  expect_values(y[1], {3}, {1, 0, 3});
  expect_values(y[2], {5}, {1, 0, 0, 2, 1});
  expect_values(y[3], {3}, {2, 2, 1});
  y = run_op({"Unique", {integer("sorted", 0)}, 11, 4}, {x});
  expect_values(y[0], {3}, {2, 1, 3});
  expect_values(y[2], {5}, {0, 1, 1, 2, 0});
}

TEST(DetectOps, CropsAndPadsAroundTheCentre) {
  const at::Tensor x = at::arange(1, 5, at::kFloat).reshape({1, 4});
  const OpCase op{"CenterCropPad", {}, 18};
  expect_values(run_op(op, {x, at::tensor({1, 2}, at::kLong)})[0], {1, 2}, {2, 3});
  expect_values(run_op(op, {x, at::tensor({3, 4}, at::kLong)})[0], {3, 4},
                {0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0});
}

// Columns of ones: each pixel counts the blocks it lies in, as ATen's own inverse says.
TEST(DetectOps, BlocksAddUp) {
  const at::Tensor x = numbers({1, 2 * 4, 9});
  const at::Tensor image = at::tensor({4, 4}, at::kLong), block = at::tensor({2, 2}, at::kLong);
  const at::Tensor y = run_op({"Col2Im", {}, 18}, {x, image, block})[0];
  EXPECT_TRUE(at::allclose(y, at::col2im(x, {4, 4}, {2, 2}, {1, 1}, {0, 0}, {1, 1})));
  EXPECT_LT(
      gradient_error({"Col2Im", {integers("pads", {1, 0, 1, 0})}, 18}, {numbers({1, 4, 15}), image, block}),
      1e-8);
}

TEST(DetectOps, CachesAreWrittenAtEachPlace) {
  const at::Tensor cache = at::zeros({2, 3, 1}), update = at::ones({2, 1, 1});
  expect_values(run_op({"TensorScatter", {}, 24}, {cache, update, at::tensor({0, 2}, at::kLong)})[0],
                {2, 3, 1}, {1, 0, 0, 0, 0, 1});
}

}  // namespace
}  // namespace atcav::plugin
