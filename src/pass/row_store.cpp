#include "pass/row_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace atcav::pass {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("[RowStore] {}: {}", what, std::strerror(errno)));
}

int open_unnamed(const std::string& folder) {
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  // Not every file system has files without a name; there a name exists for a moment.
  std::string path = folder + "/atcav-XXXXXX";
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named < 0) fail("scratch file in " + folder);
  unlink(path.c_str());
  return named;
}

// One system call may move less than it was asked to.
template <typename Call, typename Byte>
void move_all(Call call, int file, Byte* bytes, Index count, Index offset) {
  while (count > 0) {
    const auto moved = call(file, bytes, static_cast<std::size_t>(count), offset);
    if (moved < 0 && errno == EINTR) continue;
    if (moved == 0) errno = EIO;
    if (moved <= 0) fail("scratch file");
    bytes += moved;
    count -= moved;
    offset += moved;
  }
}

Index bytes_of(Index rows, Index columns) { return rows * columns * static_cast<Index>(sizeof(float)); }

}  // namespace

RowStore::RowStore(Index rows, Index columns, const float* data)
    : rows_(rows), columns_(columns), data_(data) {
  if (data != nullptr) return;
  const Index size = bytes_of(rows, columns);
  if (size <= kMemoryBytes) {
    memory_ = MatrixF::Zero(rows, columns);
    data_ = memory_.data();
    return;
  }
  const std::string where = std::filesystem::temp_directory_path();
  const std::string what =
      fmt::format("scratch file of {:.1f} GB in {}", static_cast<double>(size) / 1e9, where);
  file_ = open_unnamed(where);
  // Reserving the room now makes a full disk an error here instead of a crash in the mapping later.
  void* mapped = MAP_FAILED;
  if (ftruncate(file_, size) == 0 && (fallocate(file_, 0, 0, size) == 0 || errno == EOPNOTSUPP)) {
    mapped = mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_SHARED, file_, 0);
  }
  if (mapped == MAP_FAILED) {
    const int cause = errno;
    close(file_);
    errno = cause;
    fail(what);
  }
  data_ = static_cast<const float*>(mapped);
}

RowStore::~RowStore() {
  if (file_ < 0) return;
  munmap(const_cast<float*>(data_), static_cast<std::size_t>(bytes_of(rows_, columns_)));
  close(file_);
}

void RowStore::write(Index first, const MatrixFRef& rows) {
  if (file_ < 0) {
    if (memory_.size() > 0) memory_.middleRows(first, rows.rows()) = rows;
    return;
  }
  for (Index i = 0; i < rows.rows(); ++i) {
    move_all(pwrite, file_, reinterpret_cast<const char*>(rows.row(i).data()), bytes_of(1, columns_),
             bytes_of(first + i, columns_));
  }
}

void RowStore::read(Index first, Eigen::Ref<MatrixF> rows) const {
  if (file_ < 0) {
    rows = Eigen::Map<const MatrixF>(data_ + first * columns_, rows.rows(), columns_);
    return;
  }
  for (Index i = 0; i < rows.rows(); ++i) {
    move_all(pread, file_, reinterpret_cast<char*>(rows.row(i).data()), bytes_of(1, columns_),
             bytes_of(first + i, columns_));
  }
}

}  // namespace atcav::pass
