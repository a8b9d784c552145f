#include "pipeline/early_rows.h"

#include <algorithm>

namespace atcav {

void RowPile::append(const MatrixFRef& rows) {
  for (Index done = 0; done < rows.rows();) {
    if (slabs_.empty() || rows_ == slabs_.back().first + slabs_.back().rows) {
      const auto bytes = columns_ * static_cast<Index>(sizeof(float));
      const Index in_memory = std::max<Index>(1, pass::RowStore::kMemoryBytes / bytes);
      const Index size = std::min(std::max(in_memory, rows_), most_ - rows_);
      slabs_.push_back({rows_, size, std::make_unique<pass::RowStore>(size, columns_)});
    }
    Slab& slab = slabs_.back();
    const Index within = rows_ - slab.first;
    const Index count = std::min(rows.rows() - done, slab.rows - within);
    slab.store->write(within, rows.middleRows(done, count));
    done += count;
    rows_ += count;
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the rows are written through it
void RowPile::read(Index row, Eigen::Ref<MatrixF> out) const {
  const auto behind = std::ranges::upper_bound(slabs_, row, {}, &Slab::first);
  const Slab& slab = *std::prev(behind);
  slab.store->read(row - slab.first, out);
}

void EarlyRows::add(std::span<const Index> rows, std::span<const RowsPtr> layers, MatrixF logits) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto within = static_cast<Index>(i);
    places_.push_back({rows[i], piles_->front().rows() + within, std::ssize(logits_), within});
  }
  for (std::size_t l = 0; l < layers.size(); ++l) (*piles_)[l].append(layers[l]->host());
  logits_.push_back(std::move(logits));
}

void EarlyRows::put_in_order() { std::ranges::sort(places_, {}, &Place::row); }

std::vector<RowsPtr> EarlyRows::rows(Index first, Index count, bool with_logits) const {
  std::vector<RowsPtr> found;
  const auto places =
      std::span(places_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  for (const RowPile& pile : *piles_) {
    MatrixF rows(count, pile.columns());
    for (Index i = 0; i < count; ++i) pile.read(places[i].in_pile, rows.middleRows(i, 1));
    found.push_back(std::make_shared<HostRows>(std::move(rows)));
  }
  if (!with_logits) return found;
  MatrixF logits = MatrixF::Zero(count, logits_[places.front().block].cols());
  for (Index i = 0; i < count; ++i) {
    const MatrixF& own = logits_[places[i].block];
    if (own.rows() > 0) logits.row(i) = own.row(places[i].within);
  }
  found.push_back(std::make_shared<HostRows>(std::move(logits)));
  return found;
}

}  // namespace atcav
