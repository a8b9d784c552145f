#pragma once

#include <memory>
#include <vector>

#include "pass/backend.h"
#include "pass/pass_products.h"
#include "pass/row_store.h"

// All rows of a pass, here: for K, and for directions that are combinations of rows. Sets whose rows lie in
// memory anyway are used there.
namespace atcav::span {

class KeptRows {
 public:
  // Room for all: std::runtime_error as RowStore.
  KeptRows(const std::vector<SetShape>& sets, Index columns);
  // Not for sets with SetShape::data, which have their rows.
  void write(Index set, Index first, const MatrixFRef& rows);
  void read(Index set, Index first, Eigen::Ref<MatrixF> rows) const;
  // As centred_gram takes them.
  const std::vector<RowBlock>& blocks() const { return blocks_; }

 private:
  std::vector<std::unique_ptr<RowStore>> stores_;  // null for sets that have their rows
  std::vector<RowBlock> blocks_;
};

}  // namespace atcav::span
