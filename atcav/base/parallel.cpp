#include "atcav/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "atcav/base/workers.h"

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

namespace {

// A loop and those who work on it. Workers hold it too: the last of them may leave after the caller.
struct Loop {
  const std::function<void(Index)>* body;
  Index count;
  std::atomic<bool>* stop;
  std::atomic<Index> next{0};
  std::mutex mutex;
  std::condition_variable finished;
  int working = 0;
  std::exception_ptr failure;

  void fail(std::exception_ptr why) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(why);
    next = count;
  }
  void work() {
    std::atomic<bool>* const outer = std::exchange(stop_flag, stop);  // for loops inside the bodies
    for (Index i = next++; i < count; i = next++) {
      try {
        throw_if_stopped();
        (*body)(i);
      } catch (...) {
        fail(std::current_exception());
      }
    }
    stop_flag = outer;
  }
  void enter() {
    const std::lock_guard lock(mutex);
    ++working;
  }
  void leave() {
    const std::lock_guard lock(mutex);
    if (--working == 0) finished.notify_one();
  }
};

// As many as the system gives; without one the caller does the work. Returns those that the caller must join.
std::vector<std::jthread> start_workers(const std::shared_ptr<Loop>& loop, int workers) {
  const int staying = std::min(workers, available_threads());
  std::vector<std::jthread> apart;
  try {
    apart.reserve(static_cast<std::size_t>(workers - staying));
  } catch (const std::exception&) {
    workers = staying;
  }
  int started = 0;
  try {
    for (; started < workers; ++started) {
      loop->enter();
      if (started < staying) {
        Workers::here().start({[loop] { loop->work(); }, [loop] { loop->leave(); }});
      } else {
        apart.push_back(Workers::start_apart([loop] {
          loop->work();
          loop->leave();
        }));
      }
    }
  } catch (const std::exception&) {
    loop->leave();
    if (started == 0) loop->work();
  }
  return apart;
}

}  // namespace

void parallel_for(Index count, int threads, const std::function<void(Index)>& body) {
  if (threads <= 0) threads = available_threads();
  const std::function<void()>* const check = interrupt_check;
  std::atomic<bool> own_stop{false};
  const auto loop = std::make_shared<Loop>();
  loop->body = &body;
  loop->count = count;
  loop->stop = check != nullptr ? &own_stop : stop_flag;
  std::vector<std::jthread> apart = start_workers(loop, static_cast<int>(std::min<Index>(threads, count)));
  std::unique_lock lock(loop->mutex);
  const auto over = [&] { return loop->working == 0; };
  while (check != nullptr && !loop->finished.wait_for(lock, kBetweenChecks, over)) {
    lock.unlock();
    try {
      (*check)();
    } catch (...) {
      loop->fail(std::current_exception());
      own_stop = true;
    }
    lock.lock();
  }
  loop->finished.wait(lock, over);
  // Out of the loop, which a worker may be the last to hold: an exception of Python must end where it is
  // caught.
  const std::exception_ptr failure = std::exchange(loop->failure, nullptr);
  lock.unlock();
  apart.clear();
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
