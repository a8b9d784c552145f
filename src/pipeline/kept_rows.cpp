#include "pipeline/kept_rows.h"

#include <algorithm>

#include "comm/comm.h"

namespace atcav {

KeptRows::KeptRows(Index rows, Index columns)
    : rows_(rows), columns_(columns), store_(std::make_unique<pass::RowStore>(rows, columns)) {}

void KeptRows::add(Index first, const Rows& rows) {
  const Index count = std::min(rows.rows(), rows_ - first);
  if (count > 0) store_->write(first, rows.host().topRows(count));
}

void KeptRows::share(Index first, Index count, int owner) {
  count = std::min(count, rows_ - first);
  if (count <= 0) return;
  MatrixF rows(count, columns_);
  if (comm::rank() == owner) rows = read(first, count);
  comm::broadcast_values(rows, owner);
  if (comm::rank() != owner) store_->write(first, rows);
}

MatrixF KeptRows::read(Index first, Index count) const {
  MatrixF rows(count, columns_);
  store_->read(first, rows);
  return rows;
}

}  // namespace atcav
