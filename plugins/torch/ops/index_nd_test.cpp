#include "plugins/torch/ops/index_nd.h"

#include "tests/support/op_check.h"

namespace atcav::plugin {
namespace {

using testing_support::expect_values;

TEST(RowNumbers, CountInRowMajorOrder) {
  const at::Tensor index = at::tensor({0, 1, 1, -1}, at::kLong).reshape({2, 2});
  expect_values(row_numbers(index, {2, 3, 7}), {2}, {1, 5});
}

TEST(RowNumbers, OutsideIsAnError) {
  EXPECT_THROW(row_numbers(at::tensor({2}, at::kLong).reshape({1, 1}), {2}), c10::Error);
  EXPECT_THROW(row_numbers(at::tensor({-3}, at::kLong).reshape({1, 1}), {2}), c10::Error);
}

TEST(RowsOf, JoinsTheFirstDimensions) {
  EXPECT_EQ(rows_of(at::zeros({2, 3, 4}), {2, 3, 4}, 2).sizes().vec(), (Sizes{6, 4}));
}

}  // namespace
}  // namespace atcav::plugin
