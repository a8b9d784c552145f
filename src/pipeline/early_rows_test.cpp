#include "pipeline/early_rows.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav {
namespace {

// Wide enough that the rows lie in memory and in scratch files.
constexpr Index kColumns = Index{1} << 20;

float value_of(Index row, Index column) { return static_cast<float>(row * 1000 + column % 7); }

MatrixF rows_of(const std::vector<Index>& rows) {
  MatrixF values(std::ssize(rows), kColumns);
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index j = 0; j < kColumns; ++j) values(i, j) = value_of(rows[i], j);
  }
  return values;
}

TEST(EarlyRows, ComeBackInTheirOrder) {
  const auto piles = std::make_shared<std::vector<RowPile>>();
  piles->emplace_back(13, kColumns);
  EarlyRows kept(piles);
  EarlyRows other(piles);
  const auto add = [](EarlyRows& to, const std::vector<Index>& rows, bool with_logits) {
    const std::vector<RowsPtr> layers = {std::make_shared<HostRows>(rows_of(rows))};
    MatrixF logits(with_logits ? std::ssize(rows) : 0, 2);
    for (Index i = 0; i < logits.rows(); ++i) logits.row(i).setConstant(static_cast<float>(rows[i]));
    to.add(rows, layers, logits);
  };
  add(kept, {2, 5, 11}, true);
  add(other, {1, 3}, true);
  add(kept, {0, 4, 7}, true);
  add(kept, {8, 9, 20, 30, 31}, false);
  kept.put_in_order();
  other.put_in_order();
  const std::vector<Index> order = {0, 2, 4, 5, 7, 8, 9, 11, 20, 30, 31};
  const std::vector<RowsPtr> all = kept.rows(0, 11, true);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0]->host() == rows_of(order));
  for (Index i = 0; i < 11; ++i) {
    const bool known = order[i] <= 7 || order[i] == 11;
    EXPECT_EQ(all[1]->host()(i, 1), known ? static_cast<float>(order[i]) : 0.0F);
  }
  const std::vector<RowsPtr> some = kept.rows(3, 2, false);
  ASSERT_EQ(some.size(), 1U);
  EXPECT_TRUE(some[0]->host() == rows_of({5, 7}));
  EXPECT_TRUE(other.rows(1, 1, false)[0]->host() == rows_of({3}));
}

}  // namespace
}  // namespace atcav
