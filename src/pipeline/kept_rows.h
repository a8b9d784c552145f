#pragma once

#include <memory>

#include "atcav/matrix.h"
#include "pass/row_store.h"

namespace atcav {

// Rows of one layer that are kept as they come by, because they are asked about once directions are known.
// Many lie in a scratch file (pass/row_store.h).
class KeptRows {
 public:
  KeptRows(Index rows, Index columns);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  // Rows first … of the whole; those beyond the last one are left out.
  void add(Index first, const Rows& rows);
  // In a run of several ranks: those that `owner` has seen.
  void share(Index first, Index count, int owner);
  MatrixF read(Index first, Index count) const;
  pass::RowBlock block() const { return store_->block(); }

 private:
  Index rows_;
  Index columns_;
  std::unique_ptr<pass::RowStore> store_;
};

}  // namespace atcav
