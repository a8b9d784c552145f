#pragma once

#include <functional>
#include <future>

#include "atcav/matrix.h"

// A parallel loop on the process's thread pool. Its result does not depend on the number of threads, as long
// as body(i) writes only what belongs to i. Threads stay when their loop is done, so a loop of microseconds
// pays, also inside another one.
namespace atcav {

// Processors this process may run on (its affinity mask, not the machine's count).
int available_threads();

// Runs body(0) … body(count-1), each once, on up to `threads` threads of the pool (0: all available). The
// caller waits, or takes part if it is one of them itself, or if no thread can be created. Signals are
// blocked on the pool's threads. The first exception thrown by a body stops the loop and is thrown again
// here.
void parallel_for(Index count, int threads, const std::function<void(Index)>& body);

// While this object exists, parallel_for on its thread calls `check` about ten times a second as it waits. If
// that throws, the loop and all loops inside it stop after their current bodies, and parallel_for throws the
// same exception: how Ctrl-C ends an analysis.
class InterruptCheck {
 public:
  explicit InterruptCheck(std::function<void()> check);
  ~InterruptCheck();
  InterruptCheck(const InterruptCheck&) = delete;
  InterruptCheck& operator=(const InterruptCheck&) = delete;

 private:
  std::function<void()> check_;
  const std::function<void()>* before_;
};

// For long bodies, now and then: ends the body if its loop was stopped.
void throw_if_stopped();

// Runs `task` in another thread; if none can be created, when the result is requested. As with std::async,
// destroying the future waits.
//   std::future<Rows> next = in_background([&] { return read(block); });
template <typename Task>
auto in_background(const Task& task) {
  // Constant: libstdc++ would move the task towards the thread and run what is left of it without one.
  return std::async(std::launch::async | std::launch::deferred, task);
}

// To be called before a library with OpenMP in it is loaded. Its threads wait for each other by spinning, by
// default for so long that two runs on one machine take many times as long as one. Sets GOMP_SPINCOUNT, which
// OpenMP reads once, when it is loaded, unless the user did.
void limit_openmp_spinning();

}  // namespace atcav
