#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pass/row_store.h"
#include "pipeline/layer_rows.h"

// What a network made of rows that were read in another order than they are wanted in (pipeline/reading.h):
// at each layer, and for some of them the logits.
namespace atcav {

// Rows of all sets at a layer as they come; beyond RowStore::kMemoryBytes in scratch files.
class RowPile {
 public:
  // At most `most` rows will come.
  RowPile(Index most, Index columns) : most_(most), columns_(columns) {}
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  void append(const MatrixFRef& rows);
  void read(Index row, Eigen::Ref<MatrixF> out) const;

 private:
  struct Slab {
    Index first;
    Index rows;
    std::unique_ptr<pass::RowStore> store;
  };
  Index most_;
  Index columns_;
  Index rows_ = 0;
  std::vector<Slab> slabs_;  // each as long as all before it
};

// Those of one set.
class EarlyRows {
 public:
  // One pile per layer, shared by the sets.
  explicit EarlyRows(std::shared_ptr<std::vector<RowPile>> piles) : piles_(std::move(piles)) {}
  // Of these rows of the set: by layer, and their logits or none.
  void add(std::span<const Index> rows, std::span<const RowsPtr> layers, MatrixF logits);
  // From now on rows are counted in the order of their numbers.
  void put_in_order();
  // As layer_activations (pipeline/layer_rows.h). Logits of rows that came without are 0.
  std::vector<RowsPtr> rows(Index first, Index count, bool with_logits) const;

 private:
  struct Place {
    Index row;  // of the set
    Index in_pile;
    Index block;   // with its logits
    Index within;  // the block
  };
  std::shared_ptr<std::vector<RowPile>> piles_;
  std::vector<MatrixF> logits_;
  std::vector<Place> places_;
};

}  // namespace atcav
