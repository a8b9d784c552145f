#include "core/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <memory>
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

Index threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(ParallelFor, ThreadsStayForTheNextLoop) {
  for (int loop = 0; loop < 3000; ++loop) {
    std::atomic<int> done{0};
    parallel_for(8, 4, [&](Index) { ++done; });
    ASSERT_EQ(done, 8);
  }
  EXPECT_LT(threads_of_process(), 4 * available_threads() + 20);
}

TEST(ParallelFor, TakesAFewThreadsPerProcessorAtMost) {
  std::atomic<int> ran{0};
  parallel_for(300, 300, [&](Index) { ++ran; });
  EXPECT_EQ(ran, 300);
  EXPECT_LT(threads_of_process(), 4 * available_threads() + 20);
}

TEST(ParallelFor, ShortLoopsInsideALoopRunEachIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<int> done(100, 0);
    parallel_for(1, 1, [&](Index) {
      for (int loop = 0; loop < 3000; ++loop)
        parallel_for(loop % 7 == 0 ? 100 : loop % 5, threads, [&](Index i) { ++done[i]; });
    });
    EXPECT_EQ(done[99], 429) << threads;
    EXPECT_EQ(done[0], 429 + 2057) << threads;  // loops of 0 pieces: the multiples of 5 that are not of 7
  }
}

TEST(ParallelFor, LoopsInLoops) {
  std::atomic<int> ran{0};
  parallel_for(6, 3,
               [&](Index) { parallel_for(5, 2, [&](Index) { parallel_for(4, 4, [&](Index) { ++ran; }); }); });
  EXPECT_EQ(ran, 120);
}

TEST(ParallelFor, ManyCallersAtOnce) {
  std::atomic<int> ran{0};
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&] {
        for (int loop = 0; loop < 200; ++loop) parallel_for(3, 3, [&](Index) { ++ran; });
      });
    }
  }
  EXPECT_EQ(ran, 8 * 200 * 3);
}

TEST(ParallelFor, ALoopThatFailedLeavesThePoolUsable) {
  for (int loop = 0; loop < 20; ++loop) {
    EXPECT_THROW(parallel_for(8, 4, [](Index) { throw std::runtime_error("no"); }), std::runtime_error);
  }
  std::atomic<int> ran{0};
  parallel_for(8, 4, [&](Index) { ++ran; });
  EXPECT_EQ(ran, 8);
}

// What a body threw is gone when its catcher has done with it: Python's exceptions must end in their own
// thread.
TEST(ParallelFor, KeepsNoException) {
  const auto alive = std::make_shared<int>(1);
  for (int loop = 0; loop < 50; ++loop) {
    try {
      parallel_for(4, 2, [&](Index) { throw alive; });
    } catch (const std::shared_ptr<int>&) {
    }
    EXPECT_EQ(alive.use_count(), 1);
  }
}

// Threads stay behind in the parent.
TEST(ParallelFor, AForkedProcessHasThreadsOfItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer ends a forked process that starts threads";
#endif
  parallel_for(4, 4, [](Index) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    std::atomic<int> ran{0};
    parallel_for(100, 4, [&](Index) { ++ran; });
    _exit(ran == 100 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
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
