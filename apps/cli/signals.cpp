#include "apps/cli/signals.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>

#include "apps/cli/command.h"
#include "atcav/io/atomic_file.h"

namespace atcav::cli {
namespace {

constexpr timespec kPatience = {0, 300'000'000};

constexpr int kNobody = -1;

std::atomic<bool> interrupt_seen = false;
std::atomic<int> ending = kNobody;  // exit code of whoever has the last word

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
  const bool written = io::end_commits() > 0;
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

// An exception where none can be caught, such as in a destructor while memory is out.
[[noreturn]] void end_in_one_line() {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    say("atcav: out of memory\n");
    std::_Exit(ExitCode::kFile);
  } catch (const std::exception& error) {
    say("atcav: ");
    say(error.what());
    say("\n");
    std::_Exit(ExitCode::kFile);
  } catch (...) {
    std::abort();
  }
  // A function that must not throw did: of all that can go wrong there, memory.
  say("atcav: ended without a way to pass on an error, most likely out of memory\n");
  std::_Exit(ExitCode::kFile);
}

}  // namespace

void catch_signals() {
  std::set_terminate(end_in_one_line);
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

void take_last_word(int code) {
  int theirs = kNobody;
  if (ending.compare_exchange_strong(theirs, code)) return;
  for (;;) ::pause();
}

}  // namespace atcav::cli
