#include "atcav/run/block_turns.h"

#include <gtest/gtest.h>

namespace atcav {
namespace {

TEST(BlockTurns, AloneEveryBlockIsComputedHereOnce) {
  BlockTurns turns(2);
  int computed = 0;
  for (int block = 0; block < 3; ++block) {
    const std::vector<MatrixF> found = turns.next([&] {
      ++computed;
      return std::vector<MatrixF>(2, MatrixF::Constant(1, 1, static_cast<float>(block)));
    });
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[1](0, 0), static_cast<float>(block));
  }
  EXPECT_EQ(computed, 3);
}

}  // namespace
}  // namespace atcav
