#include "atcav/base/crew.h"

#include <utility>

#include "atcav/base/parallel.h"

namespace atcav {
namespace {

constexpr int kSpins = 2000;  // some microseconds, before a thread goes to sleep
constexpr std::uint64_t kLoop = std::uint64_t{1} << 32;

std::uint64_t left_of(std::uint64_t open) { return open % kLoop; }

}  // namespace

bool Crew::take_one() {
  std::uint64_t open = open_.load(std::memory_order_acquire);
  while (left_of(open) > 0) {
    if (!open_.compare_exchange_weak(open, open - 1, std::memory_order_acq_rel)) continue;
    try {
      throw_if_stopped();
      (*body_)(static_cast<Index>(left_of(open)) - 1);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
    if (--unfinished_ == 0) unfinished_.notify_one();
    return true;
  }
  return false;
}

void Crew::each(Index count, const std::function<void(Index)>& body) {
  if (size_ == 1 || count <= 1) {
    for (Index i = 0; i < count; ++i) body(i);
    return;
  }
  body_ = &body;
  unfinished_ = count;
  const std::uint64_t before = open_.load(std::memory_order_relaxed);
  open_.store((before / kLoop + 1) * kLoop + static_cast<std::uint64_t>(count), std::memory_order_release);
  open_.notify_all();
  while (take_one()) {
  }
  for (int spin = 0; unfinished_ != 0;) {
    if (const Index left = unfinished_; ++spin > kSpins && left != 0) unfinished_.wait(left);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Crew::serve() {
  for (int spin = 0; !dismissed_;) {
    const std::uint64_t open = open_.load(std::memory_order_acquire);
    if (take_one()) {
      spin = 0;
    } else if (++spin > kSpins) {
      open_.wait(open);
      spin = 0;
    }
  }
}

void Crew::dismiss() {
  dismissed_ = true;
  open_ += kLoop;
  open_.notify_all();
}

void with_crew(int threads, const std::function<void(Crew&)>& body) {
  if (threads <= 0) threads = available_threads();
  Crew crew(threads);
  // The first to come leads, however many come.
  parallel_for(threads, threads, [&](Index number) {
    if (number > 0) {
      crew.serve();
      return;
    }
    try {
      body(crew);
    } catch (...) {
      crew.dismiss();
      throw;
    }
    crew.dismiss();
  });
}

}  // namespace atcav
