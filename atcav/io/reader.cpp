#include "atcav/io/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "atcav/io/fail.h"

namespace atcav::io {
namespace {

void check_regular(const std::string& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) fail_file("open_file", path, "is a folder, must be a file");
  if (!S_ISREG(status.st_mode)) fail_file("open_file", path, "is not a regular file");
}

// What is mapped, where a signal handler may look: no locks, no memory. Files beyond this many at a time are
// mapped all the same; only the message would not name them.
struct Mapping {
  std::atomic<bool> taken{false};
  std::atomic<const char*> name{nullptr};
  std::atomic<std::uintptr_t> first{0};
  std::atomic<std::uintptr_t> last{0};  // 0: not in use
};
std::array<Mapping, 1024> mappings;
std::atomic<int> lost_pages_exit_code{0};

void note_mapping(const char* name, const void* base, std::size_t size) {
  for (Mapping& slot : mappings) {
    if (slot.taken.exchange(true)) continue;
    slot.name = name;
    slot.first = reinterpret_cast<std::uintptr_t>(base);
    slot.last = reinterpret_cast<std::uintptr_t>(base) + size - 1;
    return;
  }
}

void forget_mapping(const void* base) {
  for (Mapping& slot : mappings) {
    if (slot.last == 0 || slot.first != reinterpret_cast<std::uintptr_t>(base)) continue;
    slot.last = 0;
    slot.first = 0;
    slot.taken = false;
    return;
  }
}

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  static std::atomic<bool> said{false};
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Mapping& slot : mappings) {
    const std::uintptr_t last = slot.last;
    if (last == 0 || address < slot.first || address > last) continue;
    while (said.exchange(true)) ::pause();  // another thread met the same and is about to end the program
    say("atcav: [open_file] ");
    say(slot.name);
    say(": was shortened or became unreadable while it was in use\n");
    ::_exit(lost_pages_exit_code);
  }
  ::signal(signal, SIG_DFL);  // none of our files: the same instruction again ends the program
}

}  // namespace

void explain_lost_pages(int exit_code) {
  lost_pages_exit_code = exit_code;
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

Reader::Reader(std::string name, std::string memory) : name_(std::move(name)), memory_(std::move(memory)) {
  bytes_ = std::as_bytes(std::span(memory_));
}

Reader::~Reader() {
  if (mapped_ == nullptr) return;
  forget_mapping(mapped_);
  ::munmap(mapped_, bytes_.size());
}

void Reader::release(std::size_t offset, std::size_t length) const {
  if (mapped_ == nullptr) return;
  // A page fault also maps its neighbours, up to an aligned window of 2 MiB and possibly pages
  // released just before; releasing whole windows catches those too.
  constexpr std::uintptr_t kWindow = std::uintptr_t{2} << 20;
  const auto base = reinterpret_cast<std::uintptr_t>(mapped_);
  const std::uintptr_t end = base + bytes_.size();
  const std::uintptr_t from = base + std::min(offset, bytes_.size());
  const std::uintptr_t to = from + std::min<std::uintptr_t>(length, end - from);
  const std::uintptr_t first = std::max(base, from / kWindow * kWindow);
  const std::uintptr_t last = std::min(end, (to + kWindow - 1) / kWindow * kWindow);
  // Advice: when it is refused the pages merely stay.
  if (from < to) ::madvise(static_cast<char*>(mapped_) + (first - base), last - first, MADV_DONTNEED);
}

void Reader::map(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0) fail_system("open_file", name_, "cannot open", errno);
  check_regular(name_, status);
  if (status.st_size == 0) fail_file("open_file", name_, "is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* base = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (base == MAP_FAILED) fail_system("open_file", name_, "cannot map", errno);
  mapped_ = base;
  bytes_ = {static_cast<const std::byte*>(base), size};
  note_mapping(name_.c_str(), base, size);
}

ReaderPtr open_file(const std::string& path) {
  // Looked at first: opening a device or a socket can have effects of its own.
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) check_regular(path, status);
  const std::shared_ptr<Reader> reader(new Reader(path, ""));
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail_system("open_file", path, "cannot open", errno);
  try {
    reader->map(file);
  } catch (...) {
    ::close(file);
    throw;
  }
  ::close(file);
  return reader;
}

ReaderPtr read_memory(std::string bytes, std::string name) {
  return ReaderPtr(new Reader(std::move(name), std::move(bytes)));
}

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(std::string(open_file(path)->text()));
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

}  // namespace atcav::io
