#include "atcav/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
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

TEST(InterruptCheck, StopsALoopAndTheLoopsInsideIt) {
  std::atomic<int> checks{0};
  std::atomic<int> ran{0};
  {
    const InterruptCheck check([&] {
      if (++checks == 2) throw std::domain_error("Ctrl-C");
    });
    const auto inside = [&](Index) {
      parallel_for(1000000, 2, [&](Index) {
        ++ran;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    };
    EXPECT_THROW(parallel_for(2, 2, inside), std::domain_error);
  }
  EXPECT_EQ(checks, 2);
  EXPECT_LT(ran, 10000);  // 4 threads for 0.2 s, and a machine with a lot else to do
  parallel_for(10, 2, [&](Index) { checks = 0; });
  EXPECT_EQ(checks, 0);
}

TEST(InterruptCheck, ChangesNothingWhereItDoesNotThrow) {
  const InterruptCheck check([] {});
  std::atomic<int> ran{0};
  parallel_for(100, 2, [&](Index) { parallel_for(10, 2, [&](Index) { ++ran; }); });
  EXPECT_EQ(ran, 1000);
  EXPECT_THROW(parallel_for(3, 2, [](Index) { throw std::runtime_error("own"); }), std::runtime_error);
}

std::atomic<int> handled{0};

TEST(ParallelFor, AFaultReachesTheHandlerOfTheProgram) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { ++handled; };
  ASSERT_EQ(sigaction(SIGBUS, &action, &before), 0);
  parallel_for(2, 2, [](Index) { std::raise(SIGBUS); });
  sigaction(SIGBUS, &before, nullptr);
  EXPECT_EQ(handled, 2);
}

TEST(AvailableThreads, IsAtLeastOne) { EXPECT_GE(available_threads(), 1); }

}  // namespace
}  // namespace atcav
