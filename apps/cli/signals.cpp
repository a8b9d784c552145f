#include "apps/cli/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>

#include "apps/cli/command.h"
#include "data/file/atomic_file.h"

namespace atcav::cli {
namespace {

constexpr timespec kPatience = {0, 300'000'000};

constexpr int kNobody = -1;

std::atomic<bool> interrupt_seen = false;
std::atomic<int> ending = kNobody;  // exit code of whoever claimed the exit

// Not through stdio, whose lock a stuck thread may hold.
void say(std::string_view line) {
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

void watch(const sigset_t& watched) {
  int signal = 0;
  while (sigwait(&watched, &signal) != 0) {
  }
  interrupt_seen = true;
  sigtimedwait(&watched, nullptr, &kPatience);
  const bool written = data::end_commits() > 0;
  int theirs = kNobody;
  if (!ending.compare_exchange_strong(theirs, ExitCode::kInterrupted)) {
    sigtimedwait(&watched, nullptr, &kPatience);  // to say it, and for the libraries' own ends
    std::_Exit(theirs);
  }
  if (isatty(STDERR_FILENO) != 0) say("\r\x1b[K");
  say(written ? "atcav: interrupted after the results were written\n"
              : "atcav: interrupted, no results were written\n");
  std::_Exit(ExitCode::kInterrupted);
}

}  // namespace

void catch_signals() {
  ::signal(SIGXFSZ, SIG_IGN);
  static sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGINT);
  sigaddset(&watched, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  try {
    std::thread([] { watch(watched); }).detach();
  } catch (const std::system_error&) {  // no thread to be had: they end the program as they always do
    pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
  }
}

bool interrupted() { return interrupt_seen; }

void claim_exit(int code) {
  int theirs = kNobody;
  if (ending.compare_exchange_strong(theirs, code)) return;
  for (;;) ::pause();
}

}  // namespace atcav::cli
