#include "pipeline/merge_passes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace atcav {
namespace {

TEST(DealUnits, CoversEverySetInOrderWithTheSameCutsForAnyNumberOfRanks) {
  const std::vector<Index> rows = {420, 170, 90};
  const std::vector<Unit> alone = deal_units(rows, 128, 1);
  for (const int ranks : {1, 2, 3, 4, 9}) {
    const std::vector<Unit> units = deal_units(rows, 128, ranks);
    ASSERT_EQ(units.size(), 7U);
    EXPECT_EQ(units.front().owner, 0);
    std::vector<Index> next(rows.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
      EXPECT_EQ(units[i].first, next[static_cast<std::size_t>(units[i].set)]);
      EXPECT_EQ(units[i].rows, alone[i].rows);
      EXPECT_LT(units[i].owner, ranks);
      EXPECT_GE(units[i].owner, units[i > 0 ? i - 1 : 0].owner);
      next[static_cast<std::size_t>(units[i].set)] += units[i].rows;
    }
    EXPECT_EQ(next, rows);
  }
}

TEST(DealUnits, SharesAreEqualButForAUnit) {
  std::vector<Index> load(4);
  for (const Unit& unit : deal_units({1000, 120, 250, 33}, 32, 4))
    load[static_cast<std::size_t>(unit.owner)] += unit.rows;
  const auto [least, most] = std::minmax_element(load.begin(), load.end());
  EXPECT_LE(*most - *least, 32);
  EXPECT_EQ(load[0] + load[1] + load[2] + load[3], 1403);
}

TEST(HasRows, KnowsWhoTouchesASet) {
  const std::vector<Unit> units = deal_units({64, 64}, 32, 2);
  EXPECT_TRUE(has_rows(units, 0, 0));
  EXPECT_FALSE(has_rows(units, 0, 1));
  EXPECT_FALSE(has_rows(units, 1, 0));
  EXPECT_TRUE(has_rows(units, 1, 1));
}

}  // namespace
}  // namespace atcav
