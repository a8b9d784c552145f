#include "plugins/torch/pass/rows.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::plugin {
namespace {

using model::Pool;

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

// Three tokens with two examples each in one dimension: rows 1, 3, 5 belong to the second example. And back.
TEST(ExampleRows, SplitsTokensThatStandBeforeTheBatch) {
  const at::Tensor value = at::arange(12, at::kFloat).reshape({6, 2});
  const SlotShape shape{{3, 2}, 0, at::kFloat, 3};
  const at::Tensor rows = example_rows(value, shape, 2);
  EXPECT_TRUE(at::equal(rows[1], at::tensor({2.0F, 3.0F, 6.0F, 7.0F, 10.0F, 11.0F})));
  EXPECT_TRUE(at::equal(rows_to_value(rows, shape, 1), value));
}

// d/dc of f(x + c·1) is the sum of ∂f/∂x over positions: that is the gradient of the mean.
TEST(PooledRows, MeanOfActivationsAndSumOfGradients) {
  const at::Tensor image = at::arange(8, at::kFloat).reshape({1, 2, 2, 2});
  EXPECT_TRUE(at::equal(pooled_rows(image, {{1, 2, 2, 2}, 0}, 1, {Pool::kMean, {}, true})[0],
                        at::tensor({1.5F, 5.5F})));
  EXPECT_TRUE(at::equal(pooled_slopes(image, image, {{1, 2, 2, 2}, 0}, 1, {Pool::kMean, {}, true})[0],
                        at::tensor({6.0F, 22.0F})));
}

TEST(PooledRows, SequencesPoolOverTokensUnlessChannelsComeFirst) {
  const at::Tensor value = at::arange(6, at::kFloat).reshape({1, 2, 3});
  EXPECT_TRUE(
      at::equal(pooled_rows(value, {{1, 2, 3}, 0}, 1, {Pool::kMean})[0], at::tensor({1.5F, 2.5F, 3.5F})));
  EXPECT_TRUE(
      at::equal(pooled_rows(value, {{1, 2, 3}, 0}, 1, {Pool::kMean, {}, true})[0], at::tensor({1.0F, 4.0F})));
  EXPECT_TRUE(at::equal(pooled_rows(value[0], {{1, 3}, 0}, 2, {Pool::kMean}), value[0]));
}

// As in a Swin transformer: positions × positions × channels.
TEST(PooledRows, ImagesMayHaveTheirChannelsLast) {
  const at::Tensor image = at::arange(12, at::kFloat).reshape({1, 2, 2, 3});
  const SlotShape shape{{1, 2, 2, 3}, 0};
  EXPECT_TRUE(at::equal(pooled_rows(image, shape, 1, {Pool::kMean})[0], at::tensor({4.5F, 5.5F, 6.5F})));
  EXPECT_TRUE(at::equal(pooled_rows(-image, shape, 1, {Pool::kMax})[0], at::tensor({0.0F, -1.0F, -2.0F})));
}

// Two tokens when the network was looked at, four now.
TEST(RowsToValue, FollowsTheLengthOfSequences) {
  const at::Tensor rows = at::arange(24, at::kFloat).reshape({2, 12});
  EXPECT_EQ(rows_to_value(rows, {{1, 2, 3}, 0}, 1, false).sizes().vec(), (Sizes{2, 4, 3}));
  EXPECT_EQ(rows_to_value(rows, {{1, 3, 2}, 0}, 1, true).sizes().vec(), (Sizes{2, 3, 4}));
  EXPECT_EQ(rows_to_value(rows, {{2, 1, 3}, 1}, 1, false).sizes().vec(), (Sizes{4, 2, 3}));
}

TEST(RowRange, RepeatsTheLastRowBeyondTheEnd) {
  const at::Tensor rows = at::arange(6, at::kFloat).reshape({3, 2});
  EXPECT_TRUE(at::equal(row_range(rows, 1, 2), at::tensor({2.0F, 3.0F, 4.0F, 5.0F}).reshape({2, 2})));
  EXPECT_TRUE(at::equal(row_range(rows, 2, 2), at::tensor({4.0F, 5.0F, 4.0F, 5.0F}).reshape({2, 2})));
}

// The batch first, in the middle, and merged with a dimension; 3 examples of a model exported for 1 or 2.
TEST(RowsToValue, UndoesExampleRows) {
  const SlotShape first{{1, 4, 2}, 0};
  const SlotShape middle{{5, 1, 2}, 1};
  const SlotShape merged{{2, 4, 5}, 1};
  const auto check = [](const at::Tensor& value, const SlotShape& shape, std::int64_t base) {
    EXPECT_TRUE(at::equal(rows_to_value(example_rows(value, shape, 3), shape, base), value));
  };
  check(at::rand({3, 4, 2}), first, 1);
  check(at::rand({5, 3, 2}), middle, 1);
  check(at::rand({2, 6, 5}), merged, 2);
}

TEST(BatchTensor, ChecksShapeAndType) {
  EXPECT_THROW(batch_tensor({{1, 3}, {1, 2, 3}, {}}, {"x", {-1, 2}, false}), std::invalid_argument);
  EXPECT_THROW(batch_tensor({{1, 2}, {1}, {}}, {"x", {-1, 2}, false}), std::invalid_argument);
  EXPECT_THROW(batch_tensor({{1, 2}, {1, 2}, {}}, {"ids", {-1, 2}, true}), std::invalid_argument);
}

TEST(TorchRows, OneHostTensorIsNotCopiedSeveralAreJoined) {
  const at::Tensor part = at::arange(6, at::kFloat).reshape({3, 2});
  EXPECT_EQ(TorchRows({part}).host().data(), part.data_ptr<float>());
  const TorchRows joined({part, part.narrow(0, 0, 1)});
  ASSERT_EQ(joined.rows(), 4);
  EXPECT_EQ(joined.host()(2, 1), 5);
  EXPECT_EQ(joined.host()(3, 1), 1);
  ASSERT_NE(joined.as<Tensors>(), nullptr);
  EXPECT_EQ(joined.as<Tensors>()->size(), 2U);
  EXPECT_EQ(joined.as<at::Tensor>(), nullptr);
  EXPECT_EQ(HostRows(MatrixF(1, 1)).as<Tensors>(), nullptr);
}

// Two examples of three tokens with two features; the second has its last token masked.
TEST(PooledRows, TokensAndMasks) {
  const at::Tensor value = at::tensor({1, 9, 5, 2, 3, 4, 6, 1, 7, 8, 90, 80}, at::kFloat).reshape({2, 3, 2});
  const at::Tensor mask = at::tensor({1, 1, 1, 1, 1, 0}, at::kLong).reshape({2, 3});
  const SlotShape shape{{1, 3, 2}, 0};
  const auto rows = [&](Pool pool) { return pooled_rows(value, shape, 2, {pool, mask}); };
  const auto slopes = [&](Pool pool) { return pooled_slopes(value, value, shape, 2, {pool, mask}); };
  const auto is = [](const at::Tensor& got, std::vector<float> expected) {
    return at::allclose(got.flatten(), at::tensor(expected, at::kFloat));
  };
  EXPECT_TRUE(is(rows(Pool::kFirst), {1, 9, 6, 1}));
  EXPECT_TRUE(is(rows(Pool::kLast), {3, 4, 7, 8}));
  EXPECT_TRUE(is(rows(Pool::at(1)), {5, 2, 7, 8}));
  EXPECT_TRUE(is(rows(Pool::kMax), {5, 9, 7, 8}));
  EXPECT_TRUE(is(rows(Pool::kMean), {3, 5, 6.5, 4.5}));
  EXPECT_TRUE(is(slopes(Pool::kLast), {3, 4, 7, 8}));
  EXPECT_TRUE(is(slopes(Pool::kMean), {9, 15, 13, 9}));
  EXPECT_TRUE(is(pooled_slopes(-value, value, shape, 2, {Pool::kMax, mask}), {-5, -9, -7, -8}))
      << "where the value is";
  EXPECT_THROW(rows(Pool::at(3)), std::invalid_argument);
  const Pooling unfit{Pool::kMean, mask.reshape({2, 1, 1, 3})};
  EXPECT_THROW(pooled_rows(value, shape, 2, unfit), std::invalid_argument);
  EXPECT_THROW(pooled_slopes(value, value, shape, 2, unfit), std::invalid_argument);
  EXPECT_NO_THROW(pooled_rows(value, shape, 2, {Pool::kFirst, unfit.mask})) << "which needs none";
  EXPECT_THROW(pooled_rows(value.reshape({1, 2, 2, 3}), {{1, 2, 2, 3}, 0}, 1, {Pool::kFirst, {}, true}),
               std::invalid_argument);
}

}  // namespace
}  // namespace atcav::plugin
