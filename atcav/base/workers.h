#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

// Threads that stay when their work is done and wait for more: starting a thread takes longer than many a
// loop (base/parallel.h), up to a millisecond on a busy machine.
namespace atcav {

class Workers {
 public:
  struct Task {
    std::function<void()> work;
    std::function<void()> done;  // called when the thread is free again
  };

  Workers();
  // Those of this process, which end with it. A process that was forked has its own: threads do not come
  // along.
  static Workers& here();

  // On a thread that waits, or a new one. Throws std::system_error where the system has none to give. Signals
  // do not reach these threads, but for what an instruction brings on itself.
  void start(Task task);
  // On a thread that ends with it: for more than the machine has processors.
  static std::jthread start_apart(const std::function<void()>& work);

 private:
  struct Worker {
    std::condition_variable called;
    std::optional<Task> task;
  };
  void serve(Worker& worker);

  pid_t process_;
  std::mutex mutex_;
  std::size_t most_;  // that wait
  std::vector<Worker*> waiting_;
};

}  // namespace atcav
