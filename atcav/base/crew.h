#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

#include "atcav/base/matrix.h"

// Threads that stay together for many short loops, where starting them anew (base/parallel.h) would take as
// long as the work.
//
//   with_crew(threads, [&](Crew& crew) {
//     for (...) crew.each(rows, [&](Index row) { ... });
//   });
namespace atcav {

class Crew {
 public:
  explicit Crew(int size) : size_(size) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  int size() const { return size_; }

  // body(0) … body(count - 1), in any order, and returns when all are done; rethrows the first exception. For
  // the thread that `with_crew` gave the crew to.
  void each(Index count, const std::function<void(Index)>& body);

 private:
  friend void with_crew(int threads, const std::function<void(Crew&)>& body);
  void serve();
  void dismiss();
  bool take_one();

  int size_;
  const std::function<void(Index)>* body_ = nullptr;
  // The number of the loop in the upper half, how many of its bodies nobody has begun in the lower one.
  // Taking one of them is one exchange, so nobody can take part in a loop that has ended.
  std::atomic<std::uint64_t> open_{0};
  std::atomic<Index> unfinished_{0};
  std::atomic<bool> dismissed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

// Runs `body` with a crew of that many threads (0: all available), its own among them.
void with_crew(int threads, const std::function<void(Crew&)>& body);

}  // namespace atcav
