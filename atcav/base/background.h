#pragma once

#include <future>

namespace atcav {

// Runs `task` beside the caller; where the system has no thread to give, when the result is asked for. As
// with std::async, whoever drops the future waits.
//   std::future<Rows> next = in_background([&] { return read(block); });
template <typename Task>
auto in_background(const Task& task) {
  // Constant: libstdc++ would move the task towards the thread and run what is left of it without one.
  return std::async(std::launch::async | std::launch::deferred, task);
}

}  // namespace atcav
