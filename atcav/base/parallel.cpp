#include "atcav/base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace atcav {
namespace {

constexpr std::chrono::milliseconds kBetweenChecks{100};

// What a body of a stopped loop ends with; the loop's caller sees the exception that stopped it.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "the loop around this one was stopped"; }
};

thread_local const std::function<void()>* interrupt_check = nullptr;
thread_local std::atomic<bool>* stop_flag = nullptr;  // of the loop that this thread works for

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
  std::condition_variable finished;
  int working = workers;
  const std::function<void()>* const check = interrupt_check;
  std::atomic<bool> own_stop{false};
  std::atomic<bool>* const stop = check != nullptr ? &own_stop : stop_flag;
  const auto fail = [&](std::exception_ptr why) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(why);
    next = count;
  };
  const auto work = [&] {
    stop_flag = stop;  // for loops inside the bodies
    for (Index i = next++; i < count; i = next++) {
      try {
        throw_if_stopped();
        body(i);
      } catch (...) {
        fail(std::current_exception());
      }
    }
    const std::lock_guard lock(mutex);
    --working;
    finished.notify_one();
  };
  // Signals stay with the caller, which only waits: a handler's frame on the stack of oneDNN's sgemm
  // overwrites what that keeps below the stack pointer (seen with 2.6: a Ctrl-C ended in a crash). What an
  // instruction brings on itself goes to its own thread: blocked, it would end the program without its
  // handler.
  sigset_t others;
  sigset_t before;
  sigfillset(&others);
  for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&others, own);
  pthread_sigmask(SIG_BLOCK, &others, &before);
  std::vector<std::jthread> pool;
  try {
    pool.reserve(static_cast<std::size_t>(workers));
    for (int i = 0; i < workers; ++i) pool.emplace_back(work);
  } catch (const std::exception&) {  // fewer do
    std::atomic<bool>* const own = stop_flag;
    if (pool.empty()) work();
    stop_flag = own;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (check != nullptr && !pool.empty()) {
    std::unique_lock lock(mutex);
    working -= workers - static_cast<int>(pool.size());
    while (!finished.wait_for(lock, kBetweenChecks, [&] { return working == 0; })) {
      lock.unlock();
      try {
        (*check)();
      } catch (...) {
        fail(std::current_exception());
        own_stop = true;
      }
      lock.lock();
    }
  }
  pool.clear();
  if (failure) std::rethrow_exception(failure);
}

InterruptCheck::InterruptCheck(std::function<void()> check)
    : check_(std::move(check)), before_(std::exchange(interrupt_check, &check_)) {}

InterruptCheck::~InterruptCheck() { interrupt_check = before_; }

void throw_if_stopped() {
  if (stop_flag != nullptr && *stop_flag) throw Stopped();
}

void limit_openmp_spinning() { setenv("GOMP_SPINCOUNT", "10000", /*overwrite=*/0); }

}  // namespace atcav
