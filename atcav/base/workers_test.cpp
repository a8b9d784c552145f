#include "atcav/base/workers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "atcav/base/parallel.h"

namespace atcav {
namespace {

TEST(Workers, WaitForTheNextLoop) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int loop = 0; loop < 50; ++loop) {
    parallel_for(4, 4, [&](Index) {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  }
  // Those of other tests wait here too, but which is called last is called next.
  EXPECT_LE(seen.size(), 8U);
  EXPECT_FALSE(seen.contains(std::this_thread::get_id()));
}

TEST(Workers, LoopsInLoops) {
  std::atomic<int> ran{0};
  parallel_for(6, 3,
               [&](Index) { parallel_for(5, 2, [&](Index) { parallel_for(4, 4, [&](Index) { ++ran; }); }); });
  EXPECT_EQ(ran, 120);
}

TEST(Workers, ManyCallersAtOnce) {
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

TEST(Workers, ALoopThatFailedLeavesThemUsable) {
  for (int loop = 0; loop < 20; ++loop) {
    EXPECT_THROW(parallel_for(8, 4, [](Index) { throw std::runtime_error("no"); }), std::runtime_error);
  }
  std::atomic<int> ran{0};
  parallel_for(8, 4, [&](Index) { ++ran; });
  EXPECT_EQ(ran, 8);
}

// What a body threw is gone when its catcher has done with it: Python's exceptions must end in their own
// thread.
TEST(Workers, KeepNoException) {
  const auto alive = std::make_shared<int>(1);
  for (int loop = 0; loop < 50; ++loop) {
    try {
      parallel_for(4, 2, [&](Index) { throw alive; });
    } catch (const std::shared_ptr<int>&) {
    }
    EXPECT_EQ(alive.use_count(), 1);
  }
}

TEST(Workers, MoreThreadsThanProcessorsEndWithTheirLoop) {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  std::atomic<int> ran{0};
  parallel_for(300, 300, [&](Index) { ++ran; });
  EXPECT_EQ(ran, 300);
  EXPECT_LT(threads(), 5 * available_threads() + 20);
}

// Threads stay behind in the parent.
TEST(Workers, AForkedProcessHasItsOwn) {
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

}  // namespace
}  // namespace atcav
