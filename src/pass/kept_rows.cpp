#include "pass/kept_rows.h"

namespace atcav::span {

KeptRows::KeptRows(const std::vector<SetShape>& sets, Index columns) {
  for (const auto& [name, rows, data] : sets) {
    stores_.push_back(data != nullptr ? nullptr : std::make_unique<RowStore>(rows, columns));
    blocks_.push_back({data != nullptr ? data : stores_.back()->data(), rows});
  }
}

void KeptRows::write(Index set, Index first, const MatrixFRef& rows) {
  if (stores_[set]) stores_[set]->write(first, rows);
}

void KeptRows::read(Index set, Index first, Eigen::Ref<MatrixF> rows) const {
  if (stores_[set]) return stores_[set]->read(first, rows);
  rows = Eigen::Map<const MatrixF>(blocks_[set].data + first * rows.cols(), rows.rows(), rows.cols());
}

}  // namespace atcav::span
