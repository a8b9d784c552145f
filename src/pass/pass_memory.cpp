#include "pass/pass_memory.h"

#include <algorithm>

#include "pass/row_store.h"
#include "pass/sketch.h"

namespace atcav::pass {

double pass_bytes(Index m, Index d, Index rows, Index sets, const PassOptions& options) {
  const auto product = [](Index a, Index b) { return static_cast<double>(a) * static_cast<double>(b); };
  const Index columns = options.moments_only ? std::min(rows, sets * options.blocks) : rows;
  const auto in_memory = static_cast<double>(sets * RowStore::kMemoryBytes);
  const Index scored = std::min(rows, sets * (kMostEvaluatedRows + options.folds));
  double bytes = sizeof(float) * product(m, d);   // the gradients, transposed
  bytes += sizeof(double) * product(m, columns);  // projections
  bytes += 2 * sizeof(double) *
           product(sets * options.folds * options.groups_in_fold, d);  // sums over groups and their roundings
  bytes += std::min(in_memory, sizeof(float) * product(scored, d));
  if (options.moments_only) bytes += sizeof(double) * product(sets * m, m);
  if (!options.moments_only)
    bytes += sizeof(float) * product(std::min(rows, sets * kMostSketchedRows), sketch_columns(d));
  if (!options.gram) return bytes;
  // Fits keep K in double and in float; a direct solver, where one is needed, factorises a copy. Where d is
  // small they keep the rows instead.
  const double fits = 4 * sizeof(double) * product(rows + 1, rows + 1);
  if (d <= rows) {
    bytes += sizeof(float) * product(rows, d) + 2 * sizeof(double) * product(rows, d);
    return bytes + (2 * d >= rows ? fits : 3 * sizeof(double) * product(rows, d));
  }
  bytes += std::min(in_memory, sizeof(float) * product(rows, d));
  return bytes + sizeof(double) * product(rows + 1, rows + 1) + fits;
}

}  // namespace atcav::pass
