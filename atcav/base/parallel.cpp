#include "atcav/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
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
  std::vector<std::jthread> pool;
  for (int i = 1; i < workers; ++i) pool.emplace_back(work);
  work();
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

void limit_openmp_spinning() { setenv("GOMP_SPINCOUNT", "10000", /*overwrite=*/0); }

}  // namespace atcav
