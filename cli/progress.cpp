#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace atcav::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

constexpr int kWidth = 30;

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  // A second Ctrl-C ends the program at once: nothing half-written has a name yet.
  action.sa_handler = [](int signal) {
    if (interrupt_seen != 0) std::_Exit(128 + signal);
    interrupt_seen = 1;
  };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return interrupt_seen != 0; }

bool colours_wanted(int file_descriptor) {
  return isatty(file_descriptor) != 0 && std::getenv("NO_COLOR") == nullptr;
}

ProgressBar::ProgressBar(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void ProgressBar::operator()(const std::string& stage, Index done, Index total) {
  if (interrupted()) throw Interrupted{};
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (stage != stage_) {
    stage_ = stage;
    started_ = now;
  } else if (drawn_ && now - last_ < std::chrono::milliseconds(100) && done < total) {
    return;
  }
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const int filled = static_cast<int>(share * kWidth);
  std::string line = fmt::format("\r\x1b[K{:<8} [{}{}] {}/{}", stage, std::string(filled, '#'),
                                 std::string(kWidth - filled, '.'), done, total);
  if (done > 0 && seconds > 0.5) {
    const double rate = static_cast<double>(done) / seconds;
    line += fmt::format("  {:.3g}/s  {:.0f} s left", rate, static_cast<double>(total - done) / rate);
  }
  fmt::print(stderr, "{}", line);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace atcav::cli
