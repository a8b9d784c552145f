#include "atcav/base/parallel.h"

#include <sched.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace atcav {
namespace {

void hold_openmp_to_one_thread() {
#ifdef _OPENMP
  omp_set_num_threads(1);
#endif
}

}  // namespace

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
    hold_openmp_to_one_thread();
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
  // The work always runs on threads of its own: OpenMP's thread count is per thread, and the
  // caller's must stay as it was.
  std::vector<std::jthread> pool;
  pool.reserve(static_cast<std::size_t>(workers));
  for (int i = 0; i < workers; ++i) pool.emplace_back(work);
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace atcav
