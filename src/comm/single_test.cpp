#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

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

TEST(Single, LeavesWithEverythingWritten) {
  const std::string file = testing::TempDir() + "atcav_leave";
  const auto leave_behind = [&] {
    std::fputs("written", std::fopen(file.c_str(), "w"));  // and not closed
    leave(3);
  };
  EXPECT_EXIT(leave_behind(), testing::ExitedWithCode(3), "");
  std::ifstream found(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(found), {}), "written");
  std::remove(file.c_str());
}

}  // namespace
}  // namespace atcav::comm
