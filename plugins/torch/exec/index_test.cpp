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

TEST(IndexOps, TuplesOfIndicesCountInRowMajorOrderAndStayInside) {
  const at::Tensor x = at::arange(12, at::kFloat).reshape({2, 3, 2});
  expect_values(run_op({"GatherND"}, {x, list({0, 1, 1, -1}).reshape({2, 2})})[0], {2, 2}, {2, 3, 10, 11});
  EXPECT_THROW(run_op({"GatherND"}, {x, list({2}).reshape({1, 1})}), c10::Error);
  EXPECT_THROW(run_op({"GatherND"}, {x, list({-3}).reshape({1, 1})}), c10::Error);
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

TEST(ScatterOps, GradientsMatchCentralDifferencesForDataAndUpdates) {
  const at::Tensor x = numbers({4, 2});
  const at::Tensor updates = numbers({1, 2}, 1);
  for (const std::size_t which : {0, 2}) {
    EXPECT_LT(gradient_error({"ScatterElements"}, {x, list({2, -1}).reshape({1, 2}), updates}, which), 1e-8);
    EXPECT_LT(gradient_error({"ScatterND"}, {x, list({3}).reshape({1, 1}), updates}, which), 1e-8);
    EXPECT_LT(gradient_error({"ScatterND", {text("reduction", "add")}, 16},
                             {x, list({3}).reshape({1, 1}), updates}, which),
              1e-8);
  }
}

TEST(ScatterOps, ReductionsMeetWhatIsThere) {
  const at::Tensor x = at::full({2}, 3.0);
  const auto reduced = [&](const char* how) {
    return run_op({"ScatterElements", {text("reduction", how)}, 18},
                  {x, list({0, 0}), at::tensor({2.0F, 5.0F})})[0];
  };
  expect_values(reduced("add"), {2}, {10, 3});
  expect_values(reduced("mul"), {2}, {30, 3});
  expect_values(reduced("max"), {2}, {5, 3});
  expect_values(reduced("min"), {2}, {2, 3});
  EXPECT_THROW(reduced("xor"), std::runtime_error);
}

}  // namespace
}  // namespace atcav::plugin
