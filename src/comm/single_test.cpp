#include <gtest/gtest.h>

#include <array>

#include "comm/comm.h"

namespace atcav::comm {
namespace {

TEST(Single, OneRankThatHasItsOwnValues) {
  EXPECT_EQ(rank(), 0);
  EXPECT_EQ(size(), 1);
  EXPECT_EQ(local_rank(), 0);
  std::array<double, 2> values = {3, 4};
  broadcast_values(values, 0);
  EXPECT_EQ(values, (std::array<double, 2>{3, 4}));
  EXPECT_EQ(bytes_sent(), 0);
}

}  // namespace
}  // namespace atcav::comm
