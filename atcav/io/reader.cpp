#include "atcav/io/reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "atcav/io/fail.h"

namespace atcav::io {
namespace {

class MemoryReader : public Reader {
 public:
  MemoryReader(std::string bytes, std::string name) : Reader(std::move(name)), storage_(std::move(bytes)) {
    bytes_ = std::as_bytes(std::span(storage_));
  }
  void release(std::size_t /*offset*/, std::size_t /*length*/) const override {}

 private:
  std::string storage_;
};

class MappedReader : public Reader {
 public:
  explicit MappedReader(const std::string& path) : Reader(path) {
    // Looked at first: opening a device or a socket can have effects of its own.
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) check_kind(status);
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) fail_file("open_file", path, "cannot open", errno);
    try {
      map(file);
    } catch (...) {
      ::close(file);
      throw;
    }
    ::close(file);
  }
  ~MappedReader() override { ::munmap(base_, bytes_.size()); }

  void release(std::size_t offset, std::size_t length) const override {
    // A page fault also maps its neighbours, up to an aligned window of 2 MiB and possibly pages
    // released just before; releasing whole windows catches those too.
    constexpr std::uintptr_t kWindow = std::uintptr_t{2} << 20;
    const auto base = reinterpret_cast<std::uintptr_t>(base_);
    const std::uintptr_t end = base + bytes_.size();
    const std::uintptr_t from = base + std::min(offset, bytes_.size());
    const std::uintptr_t to = from + std::min<std::uintptr_t>(length, end - from);
    const std::uintptr_t first = std::max(base, from / kWindow * kWindow);
    const std::uintptr_t last = std::min(end, (to + kWindow - 1) / kWindow * kWindow);
    // Advice: when it is refused the pages merely stay.
    if (from < to) ::madvise(static_cast<char*>(base_) + (first - base), last - first, MADV_DONTNEED);
  }

 private:
  void check_kind(const struct stat& status) const {
    if (S_ISDIR(status.st_mode)) fail_file("open_file", name(), "is a folder, must be a file");
    if (!S_ISREG(status.st_mode)) fail_file("open_file", name(), "is not a regular file");
  }

  void map(int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0) fail_file("open_file", name(), "cannot open", errno);
    check_kind(status);
    if (status.st_size == 0) fail_file("open_file", name(), "is empty");
    const auto size = static_cast<std::size_t>(status.st_size);
    base_ = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    if (base_ == MAP_FAILED) fail_file("open_file", name(), "cannot map", errno);
    bytes_ = {static_cast<const std::byte*>(base_), size};
  }

  void* base_ = nullptr;
};

}  // namespace

ReaderPtr open_file(const std::string& path) { return std::make_shared<MappedReader>(path); }

ReaderPtr read_memory(std::string bytes, std::string name) {
  return std::make_shared<MemoryReader>(std::move(bytes), std::move(name));
}

}  // namespace atcav::io
