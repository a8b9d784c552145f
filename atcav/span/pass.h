#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/span/projections.h"
#include "atcav/span/source.h"

// One streaming pass over the activations of a layer. Everything that needs all d columns happens
// here, once; afterwards only numbers of examples matter (docs/theory/span.md).
//
//   MatrixSource random("random", r), striped("concept 'striped'", c);
//   Pass pass = run_pass(gradients, {&random, &striped}, {});
//   pass.sets[1].projections.values    // m × n:  z_j · (x_i - centre)
namespace atcav::span {

// Held-out scores come from k folds: row i is in fold i mod k. At most about this many rows of a set
// are scored (whole groups of k neighbouring rows, evenly spread); all rows train.
inline constexpr Index kMostEvaluatedRows = 200;

struct PassOptions {
  bool gram = false;          // K = X Xᵀ too: ridge, logistic and svm need it
  bool moments_only = false;  // blocks of rows instead of rows: n in the millions
  Index blocks = 60;          // moments-only: columns per set, row i goes to block i mod blocks
  Index folds = 5;            // for held-out scores, at least 2 and at most the smallest set
  int threads = 0;            // 0: all available
  std::string scratch;        // folder for rows that come once and are needed twice; empty: the system's
  std::function<void(Index rows_done, Index rows_total)> progress;  // may throw to stop the pass
};

// Sums over the rows of a fold and the rows to score, both centred: what is needed to fit
// pattern CAVs without a fold and to score that fold with them.
struct HeldOut {
  Matrix fold_sums;         // k × d
  Vector fold_counts;       // k
  std::vector<Index> rows;  // scored rows, increasing
  MatrixF values;           // scored rows × d
};

struct SetPass {
  Projections projections;
  HeldOut held_out;
};

struct Pass {
  Index dimension = 0;        // d
  Vector centre_projection;   // m: z_j · c
  Vector centre;              // d: c, the mean of the first rows of the first set
  std::vector<SetPass> sets;  // as the sources: random first, then the concepts
  // (N+1) × (N+1) over all rows of all sets in order, centred, and c itself as the last row.
  std::optional<Matrix> gram;
};

// gradients: m × d. Throws std::invalid_argument when columns differ or a value is not finite (naming
// set, row and column). Large products run in float blocks accumulated in double; small ones in double.
Pass run_pass(const MatrixFRef& gradients, const std::vector<RowSource*>& sources,
              const PassOptions& options);

}  // namespace atcav::span
