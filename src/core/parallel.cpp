#include "core/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace atcav {
namespace {

constexpr std::chrono::milliseconds kBetweenChecks{100};
constexpr int kSpins = 2000;  // some microseconds, before a thread goes to sleep

// What a body of a stopped loop ends with; the loop's caller sees the exception that stopped it.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "the loop around this one was stopped"; }
};

thread_local const std::function<void()>* interrupt_check = nullptr;
thread_local std::atomic<bool>* stop_flag = nullptr;  // of the loop that this thread works for
thread_local bool on_pool = false;

// Threads hold it too: one that comes late may leave after the caller.
struct Loop {
  const std::function<void(Index)>* body;
  Index count;
  std::atomic<bool>* stop;
  std::atomic<bool> own_stop{false};
  std::atomic<Index> next{0};
  std::atomic<Index> unfinished;
  std::mutex mutex;
  std::condition_variable over;
  std::exception_ptr failure;

  void fail(std::exception_ptr why) {
    {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::move(why);
    }
    finish(std::max<Index>(0, count - next.exchange(count)));
  }
  // Returns how many bodies finish() is to be told of: the last thing this thread does for the loop.
  Index work() {
    std::atomic<bool>* const outer = std::exchange(stop_flag, stop);  // for loops inside the bodies
    Index done = 0;
    for (Index i = next++; i < count; i = next++, ++done) {
      try {
        throw_if_stopped();
        (*body)(i);
      } catch (...) {
        fail(std::current_exception());
      }
    }
    stop_flag = outer;
    return done;
  }
  void finish(Index done) {
    if (unfinished.fetch_sub(done) != done || done == 0) return;
    const std::lock_guard lock(mutex);
    over.notify_one();
  }
};

// Blocks signals as long as it lives; threads that are made meanwhile keep it so. A handler's frame on the
// stack of oneDNN's sgemm overwrites what that keeps below the stack pointer (seen with 2.6: a Ctrl-C ended
// in a crash). What an instruction brings on itself goes to its own thread: blocked, it would end the program
// without its handler.
class NoSignals {
 public:
  NoSignals() {
    sigset_t others;
    sigfillset(&others);
    for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) sigdelset(&others, own);
    pthread_sigmask(SIG_BLOCK, &others, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

// Never taken down: its threads wait until the process is gone. A process that was forked has its own, since
// threads do not come along.
class Pool {
 public:
  static Pool& here() {
    static std::atomic<Pool*> current{nullptr};
    Pool* found = current;
    while (found == nullptr || found->process_ != getpid()) {
      auto own = std::make_unique<Pool>();
      if (current.compare_exchange_strong(found, own.get())) found = own.release();
    }
    return *found;
  }

  // How many threads come; there may be none.
  int call(const std::shared_ptr<Loop>& loop, int wanted) {
    const std::lock_guard lock(mutex_);
    int called = 0;
    for (; called < wanted && (free_ > 0 || start_thread()); ++called) {
      --free_;
      calls_.push_back(loop);
      ++waiting_;
      called_.notify_one();
    }
    return called;
  }

  // The loop is over: who has not come yet need not.
  void dismiss(const std::shared_ptr<Loop>& loop) {
    const std::lock_guard lock(mutex_);
    const auto left = static_cast<int>(std::erase(calls_, loop));
    free_ += left;
    waiting_ -= left;
  }

 private:
  bool start_thread() {
    if (threads_ == most_) return false;
    const NoSignals none;
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    ++threads_;
    ++free_;
    return true;
  }

  void serve() {
    on_pool = true;
    for (;;) {
      for (int spin = 0; spin < kSpins && waiting_ == 0;) ++spin;
      std::unique_lock lock(mutex_);
      called_.wait(lock, [&] { return !calls_.empty(); });
      const std::shared_ptr<Loop> loop = std::move(calls_.front());
      calls_.pop_front();
      --waiting_;
      lock.unlock();
      const Index done = loop->work();
      lock.lock();
      ++free_;  // before the caller goes on, so that its next loop finds this thread
      lock.unlock();
      loop->finish(done);
    }
  }

  pid_t process_ = getpid();
  const int most_ = 4 * available_threads();  // loops in loops take more than one for each processor
  std::mutex mutex_;
  std::condition_variable called_;
  std::deque<std::shared_ptr<Loop>> calls_;  // one for each thread called
  std::atomic<int> waiting_{0};              // calls_.size(), to be watched without the lock
  int threads_ = 0;
  int free_ = 0;
};

}  // namespace

int available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(Index count, int threads, const std::function<void(Index)>& body) {
  if (count <= 0) return;
  if (threads <= 0) threads = available_threads();
  threads = static_cast<int>(std::min<Index>(threads, count));
  const std::function<void()>* const check = interrupt_check;
  const bool takes_part = on_pool && check == nullptr;
  if (takes_part && threads == 1) {
    for (Index i = 0; i < count; ++i) {
      throw_if_stopped();
      body(i);
    }
    return;
  }
  const auto loop = std::make_shared<Loop>();
  loop->body = &body;
  loop->count = count;
  loop->stop = check != nullptr ? &loop->own_stop : stop_flag;
  loop->unfinished = count;
  Pool& pool = Pool::here();
  const int called = pool.call(loop, takes_part ? threads - 1 : threads);
  if (takes_part || called == 0) loop->finish(loop->work());
  for (int spin = 0; spin < kSpins && loop->unfinished != 0;) ++spin;
  const auto over = [&] { return loop->unfinished == 0; };
  std::unique_lock lock(loop->mutex);
  while (check != nullptr && !loop->over.wait_for(lock, kBetweenChecks, over)) {
    lock.unlock();
    try {
      (*check)();
    } catch (...) {
      loop->own_stop = true;
      loop->fail(std::current_exception());
    }
    lock.lock();
  }
  loop->over.wait(lock, over);
  pool.dismiss(loop);
  // Out of the loop, which a thread may be the last to hold: an exception of Python must end where it is
  // caught.
  const std::exception_ptr failure = std::exchange(loop->failure, nullptr);
  lock.unlock();
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
