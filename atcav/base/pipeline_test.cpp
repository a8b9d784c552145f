#include "atcav/base/pipeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace atcav {
namespace {

TEST(OrderedPipeline, ConsumesEachItemInOrder) {
  for (const int threads : {0, 1, 3}) {
    std::vector<Index> seen;
    ordered_pipeline<Index>(
        50, threads,
        [](Index i) {
          // Later items are ready sooner, and must wait.
          std::this_thread::sleep_for(std::chrono::microseconds(50 - i));
          return i * i;
        },
        [&](Index i, Index square) {
          EXPECT_EQ(square, i * i);
          seen.push_back(i);
        });
    ASSERT_EQ(seen.size(), 50U);
    for (Index i = 0; i < 50; ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST(OrderedPipeline, NeverRunsFartherAheadThanItsDepth) {
  std::atomic<Index> consumed{0};
  ordered_pipeline<int>(
      100, 2,
      [&](Index i) {
        EXPECT_LT(i, consumed + pipeline_depth(2));
        return 0;
      },
      [&](Index i, int) { consumed = i + 1; });
  EXPECT_EQ(consumed, 100);
}

TEST(OrderedPipeline, AnExceptionOfEitherSideStopsAll) {
  const auto nothing = [](Index, int) {};
  EXPECT_THROW(
      ordered_pipeline<int>(
          1000, 2, [](Index i) { return i == 7 ? throw std::runtime_error("produce") : 0; }, nothing),
      std::runtime_error);
  Index last = 0;
  EXPECT_THROW(ordered_pipeline<int>(
                   1000, 2, [](Index) { return 0; },
                   [&](Index i, int) {
                     last = i;
                     if (i == 5) throw std::invalid_argument("consume");
                   }),
               std::invalid_argument);
  EXPECT_EQ(last, 5);
}

TEST(OrderedPipeline, NothingToDo) {
  ordered_pipeline<int>(
      0, 2, [](Index) { return 0; }, [](Index, int) { FAIL(); });
}

}  // namespace
}  // namespace atcav
