#include "atcav/run/rank_scheduler.h"

#include <gtest/gtest.h>

namespace atcav {
namespace {

TEST(RankScheduler, AloneEveryBlockIsComputedHereOnce) {
  RankScheduler scheduler(2);
  int computed = 0;
  for (int block = 0; block < 3; ++block) {
    const std::vector<RowsPtr> found = scheduler.next([&] {
      ++computed;
      const auto rows = std::make_shared<HostRows>(MatrixF::Constant(1, 1, static_cast<float>(block)));
      return std::vector<RowsPtr>(2, rows);
    });
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[1]->host()(0, 0), static_cast<float>(block));
  }
  EXPECT_EQ(computed, 3);
}

}  // namespace
}  // namespace atcav
