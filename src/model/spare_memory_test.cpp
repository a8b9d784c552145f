#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "atcav/examples.h"

namespace atcav::model {
namespace {

constexpr std::size_t kLarge = std::size_t{5} << 20;

TEST(SpareMemory, ABlockOfTheSameSizeComesBack) {
  void* const first = take_spare(kLarge);
  std::memset(first, 7, kLarge);
  give_spare(first, kLarge);
  void* const other = take_spare(2 * kLarge);
  EXPECT_NE(other, first);
  void* const second = take_spare(kLarge - 10);
  EXPECT_EQ(second, first);
  void* const third = take_spare(kLarge);
  EXPECT_NE(third, first);
  give_spare(other, 2 * kLarge);
  give_spare(second, kLarge - 10);
  give_spare(third, kLarge);
}

// However many sizes there are, few blocks stay: those given back last.
TEST(SpareMemory, KeepsThree) {
  std::vector<void*> blocks;
  for (std::size_t i = 1; i <= 5; ++i) blocks.push_back(take_spare(i * kLarge));
  for (std::size_t i = 1; i <= 5; ++i) give_spare(blocks[i - 1], i * kLarge);
  for (std::size_t i = 3; i <= 5; ++i) {
    void* const again = take_spare(i * kLarge);
    EXPECT_EQ(again, blocks[i - 1]);
    std::memset(again, 1, i * kLarge);
    give_spare(again, i * kLarge);
  }
}

TEST(SpareMemory, ServesVectorsOfAllSizesFromManyThreads) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 50; ++round) {
        std::vector<float, Unwritten<float>> values(round % 2 == 0 ? 10 : 600'000);
        std::fill(values.begin(), values.end(), static_cast<float>(thread));
        std::this_thread::yield();
        for (const float value : values)
          wrong[static_cast<std::size_t>(thread)] += value != static_cast<float>(thread);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace atcav::model
