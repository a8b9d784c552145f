#include "data/file/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "data/file/fail.h"

namespace atcav::data {
namespace {

void check_regular(const std::string& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) fail_file("open_file", path, "is a folder, must be a file");
  if (!S_ISREG(status.st_mode)) fail_file("open_file", path, "is not a regular file");
}

}  // namespace

Reader::Reader(std::string name, std::string memory)
    : name_(std::move(name)), memory_(std::move(memory)), size_(memory_.size()) {}

Reader::~Reader() {
  if (file_ >= 0) ::close(file_);
}

void Reader::open(int flags) {
  // Looked at first: opening a device or a socket can have effects of its own.
  struct stat status {};
  const bool own = (flags & O_NOFOLLOW) != 0;
  if ((own ? ::lstat : ::stat)(name_.c_str(), &status) == 0) check_regular(name_, status);
  file_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
  if (file_ < 0 || ::fstat(file_, &status) != 0) fail_system("open_file", name_, "cannot open", errno);
  check_regular(name_, status);
  if (own && status.st_uid != ::geteuid()) fail_file("open_file", name_, "belongs to another user");
  if (status.st_size == 0) fail_file("open_file", name_, "is empty");
  size_ = static_cast<std::size_t>(status.st_size);
}

void Reader::read(std::size_t offset, std::span<std::byte> out) const {
  if (offset > size_ || out.size() > size_ - offset)
    fail_file("open_file", name_, "has {} bytes, not {} from byte {} on", size_, out.size(), offset);
  if (in_memory()) {
    std::copy_n(memory_.data() + offset, out.size(), reinterpret_cast<char*>(out.data()));
    return;
  }
  while (!out.empty()) {
    const ssize_t got = ::pread(file_, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_system("open_file", name_, "cannot read", errno);
    if (got == 0) fail_file("open_file", name_, "was shortened while it was in use");
    out = out.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::size_t>(got);
  }
}

std::string Reader::read(std::size_t offset, std::size_t count) const {
  std::string text(std::min(count, size_ - std::min(offset, size_)), '\0');
  read(std::min(offset, size_), std::as_writable_bytes(std::span(text)));
  return text;
}

ReaderPtr open_file(const std::string& path) {
  const std::shared_ptr<Reader> reader(new Reader(path, ""));
  reader->open(0);
  return reader;
}

ReaderPtr open_own_file(const std::string& path) {
  const std::shared_ptr<Reader> reader(new Reader(path, ""));
  reader->open(O_NOFOLLOW);
  return reader;
}

ReaderPtr read_memory(std::string bytes, std::string name) {
  return ReaderPtr(new Reader(std::move(name), std::move(bytes)));
}

std::string read_file(const std::string& path) { return open_file(path)->read_all(); }

std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

}  // namespace atcav::data
