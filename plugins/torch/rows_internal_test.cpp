#include "plugins/torch/rows_internal.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::plugin {
namespace {

TEST(ExampleRows, FindTheBatchWhereverItIs) {
  const at::Tensor value = at::arange(12, at::kFloat).reshape({2, 3, 2});
  const at::Tensor first = example_rows(value, {{1, 3, 2}, 0}, 2);
  EXPECT_EQ(first.sizes().vec(), (Sizes{2, 6}));
  const at::Tensor middle = example_rows(value, {{2, 1, 2}, 1}, 3);
  EXPECT_TRUE(at::equal(middle[1], at::tensor({2.0F, 3.0F, 8.0F, 9.0F})));
}

// Two heads an example in one dimension with the batch: rows 0, 1 belong to the first example.
TEST(ExampleRows, SplitsDimensionsMergedWithTheBatch) {
  const at::Tensor value = at::arange(8, at::kFloat).reshape({4, 2});
  EXPECT_TRUE(at::equal(example_rows(value, {{2, 2}, 0}, 2)[1], at::tensor({4.0F, 5.0F, 6.0F, 7.0F})));
}

// d/dc of f(x + c·1) is the sum of ∂f/∂x over positions: that is the gradient of the mean.
TEST(PooledRows, MeanOfActivationsAndSumOfGradients) {
  const at::Tensor image = at::arange(8, at::kFloat).reshape({1, 2, 2, 2});
  EXPECT_TRUE(at::equal(pooled_rows(image, {{1, 2, 2, 2}, 0}, 1, true, false)[0], at::tensor({1.5F, 5.5F})));
  EXPECT_TRUE(at::equal(pooled_rows(image, {{1, 2, 2, 2}, 0}, 1, true, true)[0], at::tensor({6.0F, 22.0F})));
}

TEST(PooledRows, SequencesPoolOverTokensUnlessChannelsComeFirst) {
  const at::Tensor value = at::arange(6, at::kFloat).reshape({1, 2, 3});
  EXPECT_TRUE(
      at::equal(pooled_rows(value, {{1, 2, 3}, 0}, 1, false, false)[0], at::tensor({1.5F, 2.5F, 3.5F})));
  EXPECT_TRUE(at::equal(pooled_rows(value, {{1, 2, 3}, 0}, 1, true, false)[0], at::tensor({1.0F, 4.0F})));
  EXPECT_TRUE(at::equal(pooled_rows(value[0], {{1, 3}, 0}, 2, false, false), value[0]));
}

TEST(PooledColumns, AgreeWithPooledRows) {
  Layer layer;
  layer.shape = {8, 7, 7};
  layer.size = 392;
  EXPECT_EQ(pooled_columns(layer, true), 8);
  layer.shape = {16, 24};
  layer.size = 384;
  EXPECT_EQ(pooled_columns(layer, false), 24);
  EXPECT_EQ(pooled_columns(layer, true), 16);
  layer.shape = {10};
  layer.size = 10;
  EXPECT_EQ(pooled_columns(layer, false), 10);
}

TEST(RowsToTensor, RepeatsTheLastRowBeyondTheEnd) {
  const InputBatch batch{{3, 2}, {0, 1, 2, 3, 4, 5}, {}};
  const InputInfo info{"x", {-1, 2}, false};
  EXPECT_TRUE(
      at::equal(rows_to_tensor(batch, info, 1, 2), at::tensor({2.0F, 3.0F, 4.0F, 5.0F}).reshape({2, 2})));
  EXPECT_TRUE(
      at::equal(rows_to_tensor(batch, info, 2, 2), at::tensor({4.0F, 5.0F, 4.0F, 5.0F}).reshape({2, 2})));
}

TEST(RowsToTensor, ChecksShapeAndType) {
  EXPECT_THROW(rows_to_tensor({{1, 3}, {1, 2, 3}, {}}, {"x", {-1, 2}, false}, 0, 1), std::invalid_argument);
  EXPECT_THROW(rows_to_tensor({{1, 2}, {1}, {}}, {"x", {-1, 2}, false}, 0, 1), std::invalid_argument);
  EXPECT_THROW(rows_to_tensor({{1, 2}, {1, 2}, {}}, {"ids", {-1, 2}, true}, 0, 1), std::invalid_argument);
}

TEST(CopyRows, TakesOnlyWhatIsKept) {
  MatrixF matrix = MatrixF::Zero(3, 2);
  copy_rows(at::ones({2, 2}), 2, 1, matrix);
  EXPECT_EQ(matrix.sum(), 2);
  EXPECT_EQ(matrix(2, 1), 1);
}

}  // namespace
}  // namespace atcav::plugin
