#include "apps/cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "apps/cli/signals.h"

namespace atcav::cli {
namespace {

constexpr int kWidth = 30;

}  // namespace

bool colours_wanted(int file_descriptor) {
  return isatty(file_descriptor) != 0 && std::getenv("NO_COLOR") == nullptr;
}

std::size_t terminal_width(int file_descriptor) {
  constexpr std::size_t kDefault = 100;
  if (isatty(file_descriptor) == 0) return kDefault;
  if (const char* text = std::getenv("COLUMNS")) {
    std::size_t columns = 0;
    const std::string_view typed = text;
    const auto [stop, error] = std::from_chars(typed.data(), typed.data() + typed.size(), columns);
    if (error == std::errc() && stop == typed.data() + typed.size() && columns > 0) return columns;
  }
  winsize size{};
  return ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kDefault;
}

std::string progress_bar(const std::string& stage, Index done, Index total, double seconds) {
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const int filled = static_cast<int>(share * kWidth);
  std::string line = fmt::format("{:<8} [{}{}] {}/{}", stage, std::string(filled, '#'),
                                 std::string(kWidth - filled, '.'), done, total);
  if (done == 0 || seconds <= 0.5) return line;
  const double rate = static_cast<double>(done) / seconds;
  return line + fmt::format("  {:.3g}/s  {:.0f} s left", rate, static_cast<double>(total - done) / rate);
}

std::string progress_line(const std::string& stage, Index done, Index total, double seconds) {
  if (done == total) return fmt::format("{}: {} in {:.1f} s", stage, total, seconds);
  const double rate = static_cast<double>(done) / seconds;
  return fmt::format("{}: {} of {}, {:.3g}/s, {:.0f} s left", stage, done, total, rate,
                     static_cast<double>(total - done) / rate);
}

namespace {

class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void operator()(const std::string& stage, Index done, Index total);

 private:
  void clear();

  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  bool finished_ = false;  // the stage's last line was printed
  std::string stage_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point last_;
};

ProgressBar::ProgressBar(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void ProgressBar::operator()(const std::string& stage, Index done, Index total) {
  if (interrupted()) throw Interrupted{};
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (stage != stage_) {
    stage_ = stage;
    started_ = last_ = now;
    finished_ = false;
  }
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10);
  if (finished_ || (done < total && now - last_ < pause)) return;
  last_ = now;
  finished_ = done == total && !terminal_;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const std::string text = terminal_ ? "\r\x1b[K" + progress_bar(stage, done, total, seconds)
                                     : progress_line(stage, done, total, seconds) + "\n";
  // Not fmt::print, which throws where standard error is closed or full.
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = terminal_;
}

}  // namespace

std::function<void(const std::string&, Index, Index)> progress_on_terminal(bool quiet) {
  return [bar = std::make_shared<ProgressBar>(quiet)](const std::string& stage, Index done, Index total) {
    (*bar)(stage, done, total);
  };
}

}  // namespace atcav::cli
