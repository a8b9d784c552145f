#include "atcav/base/workers.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <utility>

#include "atcav/base/parallel.h"

namespace atcav {
namespace {

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

}  // namespace

// Never taken down: threads may wait in it until the process is gone.
Workers& Workers::here() {
  static std::atomic<Workers*> current{nullptr};
  Workers* found = current;
  while (found == nullptr || found->process_ != getpid()) {
    auto own = std::make_unique<Workers>();
    if (current.compare_exchange_strong(found, own.get())) found = own.release();
  }
  return *found;
}

// Loops in loops take more than one for each processor.
Workers::Workers() : process_(getpid()), most_(static_cast<std::size_t>(4 * available_threads())) {
  waiting_.reserve(most_);
}

void Workers::start(Task task) {
  std::unique_lock lock(mutex_);
  if (!waiting_.empty()) {
    Worker& worker = *waiting_.back();
    waiting_.pop_back();
    worker.task = std::move(task);
    worker.called.notify_one();
    return;
  }
  auto worker = std::make_unique<Worker>();
  worker->task = std::move(task);
  const NoSignals none;
  std::thread([this, own = worker.get()] { serve(*own); }).detach();
  static_cast<void>(worker.release());
}

std::jthread Workers::start_apart(const std::function<void()>& work) {
  const NoSignals none;
  return std::jthread(work);
}

void Workers::serve(Worker& worker) {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      worker.called.wait(lock, [&] { return worker.task.has_value(); });
      task = *std::exchange(worker.task, std::nullopt);
    }
    task.work();
    bool stays = false;
    {
      const std::lock_guard lock(mutex_);
      stays = waiting_.size() < most_;
      if (stays) waiting_.push_back(&worker);
    }
    task.done();
    if (stays) continue;
    delete &worker;
    return;
  }
}

}  // namespace atcav
