#include "atcav/base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace atcav {

int available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(Index count, int threads, const std::function<void(Index)>& body) {
  if (threads <= 0) threads = available_threads();
  const auto workers = static_cast<int>(std::min<Index>(threads, count));
  std::atomic<Index> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (Index i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  // Signals stay with the caller, which only waits: a handler's frame on the stack of oneDNN's sgemm
  // overwrites what that keeps below the stack pointer (seen with 2.6: a Ctrl-C ended in a crash).
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::vector<std::jthread> pool;
  pool.reserve(static_cast<std::size_t>(workers));
  for (int i = 0; i < workers; ++i) pool.emplace_back(work);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

void limit_openmp_spinning() { setenv("GOMP_SPINCOUNT", "10000", /*overwrite=*/0); }

}  // namespace atcav
