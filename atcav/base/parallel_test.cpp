#include "atcav/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace atcav {
namespace {

TEST(ParallelFor, RunsEachIndexOnce) {
  for (const int threads : {0, 1, 2, 5}) {
    std::vector<int> seen(1000, 0);
    parallel_for(1000, threads, [&](Index i) { ++seen[i]; });
    EXPECT_EQ(seen, std::vector<int>(1000, 1));
  }
  parallel_for(0, 2, [](Index) { FAIL(); });
}

TEST(ParallelFor, ThrowsWhatABodyThrewAndStops) {
  std::atomic<int> ran{0};
  EXPECT_THROW(parallel_for(1000000, 2,
                            [&](Index i) {
                              ++ran;
                              if (i == 3) throw std::runtime_error("stop");
                            }),
               std::runtime_error);
  EXPECT_LT(ran, 1000000);
}

TEST(AvailableThreads, IsAtLeastOne) { EXPECT_GE(available_threads(), 1); }

}  // namespace
}  // namespace atcav
