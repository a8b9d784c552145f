#include <gtest/gtest.h>

#include <vector>

#include "comm/comm.h"

namespace atcav::comm {
namespace {

// Run by ctest alone and by mpirun with two and three ranks: everybody tests its part. The values fill
// several pieces.
TEST(Mpi, WhatOneRankHasAllHave) {
  ASSERT_LT(rank(), size());
  EXPECT_LT(local_rank(), size());
  for (int from = 0; from < size(); ++from) {
    std::vector<int> values(700'000, rank());
    values.back() = 10 * rank();
    const std::int64_t before = bytes_sent();
    broadcast_values(values, from);
    std::vector<int> expected(values.size(), from);
    expected.back() = 10 * from;
    EXPECT_EQ(values, expected);
    const bool is_last = (rank() + 1) % size() == from;
    EXPECT_EQ(bytes_sent() - before, is_last ? 0 : 2'800'000);
  }
}

}  // namespace
}  // namespace atcav::comm
