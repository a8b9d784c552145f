#pragma once

#include "atcav/matrix.h"
#include "pass/pass_products.h"

// Rows that come once and are needed again. Few are kept in memory, many in a scratch file without a
// name: whatever ends the process, SIGKILL included, the system takes the file back.
//
//   RowStore store(1000, 401408);
//   store.write(0, first_batch);
//   store.block();   // all rows, mapped
namespace atcav::pass {

class RowStore {
 public:
  // The file is in the system's folder for temporary files (TMPDIR). Throws std::runtime_error when that
  // cannot be written or has no room for all rows.
  // With `data` all rows are there already, for longer than this object: they are not written.
  RowStore(Index rows, Index columns, const float* data = nullptr);
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  // Rows first … of the store; different rows may be written from different threads.
  void write(Index first, const MatrixFRef& rows);

  // From the file, not from the mapping: what is read this way is not resident afterwards. From any thread.
  void read(Index first, Eigen::Ref<MatrixF> rows) const;
  RowBlock block() const { return {data_, rows_}; }

  // Up to this size rows stay in memory.
  static constexpr Index kMemoryBytes = Index{16} << 20;

 private:
  Index rows_;
  Index columns_;
  MatrixF memory_;
  int file_ = -1;
  const float* data_;
};

}  // namespace atcav::pass
