#include "atcav/base/pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "atcav/base/parallel.h"

namespace atcav {
namespace {

// What workers and consumer agree on, under one lock.
struct Board {
  std::mutex mutex;
  std::condition_variable changed;
  Index next = 0;      // item the next free worker takes
  Index consumed = 0;  // items used so far
  std::vector<bool> ready;
  std::exception_ptr failure;

  void fail() {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    changed.notify_all();
  }
};

void work(Board& board, Index count, Index ahead, const std::function<void(Index)>& produce) {
  hold_openmp_to_one_thread();
  while (true) {
    Index mine = 0;
    {
      std::unique_lock lock(board.mutex);
      board.changed.wait(
          lock, [&] { return board.failure || board.next >= count || board.next < board.consumed + ahead; });
      if (board.failure || board.next >= count) return;
      mine = board.next++;
    }
    try {
      produce(mine);
    } catch (...) {
      return board.fail();
    }
    const std::lock_guard lock(board.mutex);
    board.ready[mine] = true;
    board.changed.notify_all();
  }
}

}  // namespace

Index pipeline_depth(int threads) {
  return 2 * static_cast<Index>(threads > 0 ? threads : available_threads());
}

void ordered_tasks(Index count, int threads, Index ahead, const std::function<void(Index)>& produce,
                   const std::function<void(Index)>& consume) {
  if (threads <= 0) threads = available_threads();
  Board board;
  board.ready.assign(static_cast<std::size_t>(count), false);
  std::vector<std::jthread> pool;
  for (Index i = 0; i < std::min<Index>(threads, count); ++i) {
    pool.emplace_back([&] { work(board, count, ahead, produce); });
  }
  for (Index i = 0; i < count; ++i) {
    {
      std::unique_lock lock(board.mutex);
      board.changed.wait(lock, [&] { return board.failure || board.ready[i]; });
      if (board.failure) break;
    }
    try {
      consume(i);
    } catch (...) {
      board.fail();
      break;
    }
    const std::lock_guard lock(board.mutex);
    board.consumed = i + 1;
    board.changed.notify_all();
  }
  pool.clear();
  if (board.failure) std::rethrow_exception(board.failure);
}

}  // namespace atcav
