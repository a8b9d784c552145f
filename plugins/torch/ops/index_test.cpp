#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using namespace testing_support;  // NOLINT: short cases read better

at::Tensor list(std::vector<std::int64_t> values) { return at::tensor(values, at::kLong); }

TEST(IndexOps, GradientsMatchCentralDifferences) {
  const at::Tensor x = numbers({3, 4});
  EXPECT_LT(gradient_error({"Gather", {integer("axis", 1)}}, {x, list({-1, 0, 0})}), 1e-8);
  EXPECT_LT(gradient_error({"GatherElements"}, {x, list({2, -1, 0, 1}).reshape({1, 4})}), 1e-8);
  EXPECT_LT(gradient_error({"GatherND"}, {x, list({2, 1, 0, 0}).reshape({2, 2})}), 1e-8);
}

TEST(IndexOps, GatherWithASingleIndexDropsTheAxis) {
  const at::Tensor x = at::arange(6, at::kFloat).reshape({2, 3});
  expect_values(run_op({"Gather", {integer("axis", 1)}}, {x, at::scalar_tensor(-1, at::kLong)})[0], {2},
                {2, 5});
}

TEST(IndexOps, GatherNdWithBatchDimensions) {
  const at::Tensor x = at::arange(8, at::kFloat).reshape({2, 2, 2});
  const OpCase op{"GatherND", {integer("batch_dims", 1)}};
  expect_values(run_op(op, {x, list({1, 0}).reshape({2, 1})})[0], {2, 2}, {2, 3, 4, 5});
}

TEST(IndexOps, OneHotCountsNegativeIndicesFromTheEnd) {
  const at::Tensor values = at::tensor({1.0F, 9.0F});
  const at::Tensor y = run_op({"OneHot"}, {list({0, -1}), at::scalar_tensor(3, at::kLong), values})[0];
  expect_values(y, {2, 3}, {9, 1, 1, 1, 1, 9});
}

TEST(IndexOps, NonZeroListsCoordinatesByDimension) {
  const at::Tensor x = at::tensor({0, 3, 5, 0}, at::kLong).reshape({2, 2});
  expect_values(run_op({"NonZero"}, {x})[0], {2, 2}, {0, 1, 1, 0});
}

}  // namespace
}  // namespace atcav::plugin
