#pragma once

#include <vector>

#include "atcav/matrix.h"
#include "pass/pass.h"
#include "pipeline/labels.h"

namespace atcav {

// The rows of a pool that have all of some labels, numbers among these standardised over the rows that have
// them.
struct LabelRows {
  LabelRows(const MatrixRef& labels, const std::vector<Index>& columns);

  std::vector<Index> rows;    // of the pool
  Matrix values;              // rows × columns
  std::vector<bool> numbers;  // by column: not 0/1
  // Places within `rows` whose sd(z̄·x) is the unit of d: those without a 0/1 label, or all.
  std::vector<Index> reference(Index column) const;
};

// Whether a pass over the pool keeps all its rows (PassOptions::gram) for inner products: up to 2048 rows of
// half a gigabyte.
bool keeps_pool_rows(Index rows, Index columns);
// Scored rows × rows (LayerData::pool_products): all rows, from such a pass.
Matrix pool_products(const pass::Pass& pass);

// Divisor n-1, of the values that are known.
double label_sd(const VectorRef& values);

}  // namespace atcav
