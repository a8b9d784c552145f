#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using testing_support::expect_values;
using testing_support::gradient_error;
using testing_support::integer;
using testing_support::numbers;
using testing_support::run_op;

TEST(SignalOps, TransformOfACosineIsTwoLines) {
  const at::Tensor n = at::arange(8, at::kDouble);
  const at::Tensor x = at::cos(n * (2 * M_PI * 2 / 8)).reshape({1, 8, 1});
  const at::Tensor y = run_op({"DFT", {integer("axis", 1)}, 17}, {x})[0];
  std::vector<double> expected(16, 0);
  expected[4] = expected[12] = 4;  // frequencies 2 and 6, real
  expect_values(y, {1, 8, 2}, expected, 1e-9);
  expect_values(run_op({"DFT", {integer("axis", 1), integer("inverse", 1)}, 17}, {y})[0].select(-1, 0),
                {1, 8}, {1, 0, -1, 0, 1, 0, -1, 0}, 1e-9);
}

TEST(SignalOps, WindowsEndWhereTheyShould) {
  const at::Tensor five = at::scalar_tensor(5, at::kLong);
  expect_values(run_op({"HannWindow", {integer("periodic", 0)}}, {five})[0], {5}, {0, 0.5, 1, 0.5, 0});
  expect_values(run_op({"HannWindow"}, {at::scalar_tensor(4, at::kLong)})[0], {4}, {0, 0.5, 1, 0.5});
  expect_values(run_op({"BlackmanWindow", {integer("periodic", 0)}}, {five})[0], {5}, {0, 0.34, 1, 0.34, 0});
}

TEST(SignalOps, FramesAreTransformedOneByOne) {
  const at::Tensor x = numbers({1, 8, 1});
  const at::Tensor y =
      run_op({"STFT", {integer("onesided", 0)}},
             {x, at::scalar_tensor(2, at::kLong), at::Tensor(), at::scalar_tensor(4, at::kLong)})[0];
  ASSERT_EQ(y.sizes().vec(), (Sizes{1, 3, 4, 2}));
  const at::Tensor second = run_op({"DFT", {integer("axis", 1)}, 17}, {x.narrow(1, 2, 4)})[0];
  EXPECT_TRUE(at::allclose(y[0][1], second[0]));
}

TEST(SignalOps, Gradients) {
  EXPECT_LT(gradient_error({"DFT", {integer("axis", 1), integer("onesided", 1)}, 17}, {numbers({1, 6, 1})}),
            1e-8);
}

}  // namespace
}  // namespace atcav::plugin
