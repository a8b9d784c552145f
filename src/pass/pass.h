#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "pass/backend.h"
#include "pass/carried_sums.h"
#include "pass/projections.h"
#include "pass/source.h"

// One streaming pass over the activations of a layer. Everything that needs all d columns happens
// here, once; afterwards only numbers of examples matter (docs/theory/span.md).
//
//   MatrixSource random("random", r), striped("concept 'striped'", c);
//   Pass pass = run_pass(gradients, {&random, &striped}, {});
//   pass.sets[1].projections.values    // m × n:  z_j · (x_i - centre)
namespace atcav::pass {

// Held-out scores come from k folds: row i is in fold i mod k. At most about this many rows of a set
// are scored (whole groups of k neighbouring rows, evenly spread); all rows train.
inline constexpr Index kMostEvaluatedRows = 200;

struct PassOptions {
  bool gram = false;          // K = X Xᵀ too (X itself when d ≤ N): ridge, logistic and svm need it
  bool moments_only = false;  // blocks of rows instead of rows: n in the millions
  Index blocks = 60;          // moments-only: columns per set, row i goes to block i mod blocks
  Index folds = 5;            // for held-out scores, at least 2 and at most the smallest set
  Index groups_in_fold = 1;   // to keep sums of; fewer where a set has fewer rows
  int threads = 0;            // 0: all available
  double exact_below = 3e8;   // with at most this many multiplications all is done in double
  std::function<void(Index rows_done, Index rows_total)> progress = {};  // may throw to stop the pass
  // To be taken off every row; none: the mean of the first rows. For a pass over a share of the rows.
  std::optional<Eigen::VectorXf> centre = {};
  // Gradients whose inner products are wanted, first and last + 1 (PassBackend::gradient_products).
  std::vector<std::pair<Index, Index>> input_groups = {};
};

// Sums over the rows of a group, centred (row i is in group i mod G), and which rows to score, which the
// backend keeps: what is needed to fit pattern CAVs without a fold and to score that fold with them
// (held_out.h), and to know how far means would lie elsewhere with other examples (pipeline/group_means.h).
// A fold is every k-th group.
struct HeldOut {
  CarriedSums group_sums;   // G × d
  Vector group_counts;      // G
  Index folds = 5;          // k, which divides G
  std::vector<Index> rows;  // scored rows, increasing
};

// Scores of held-out rows (held_out.h).
struct SetScores {
  Vector scores;             // g of each scored row
  std::vector<Index> folds;  // the fold it was left out with
};

struct HeldOutScores {
  SetScores random;
  SetScores concept_rows;
};

struct SetPass {
  Projections projections;
  HeldOut held_out;
  // Of each row, where rows come on the host (pass/sketch.h); without rows for moments and very large sets.
  MatrixF sketch;
  Vector squares;  // |x_i − c|² of each row: with the sums how far rows spread (fit/stability.h)
};

struct Pass {
  Index dimension = 0;        // d
  Vector centre_projection;   // m: z_j · c
  Vector centre;              // d: c, the mean of the first rows of the first set
  std::vector<SetPass> sets;  // as the sources: random first, then the concepts
  bool exact = false;         // all was done in double
  // (N+1) × (N+1) over all rows of all sets in order, centred, and c itself as the last row.
  std::optional<Matrix> gram;
  // Instead of the Gram matrix when d ≤ N: the rows of all sets as they came, N × d.
  std::optional<MatrixF> features;
  // Has the rows to score and, with a Gram matrix, all of them (fit_rows.h: expand).
  std::shared_ptr<PassBackend> backend;
  // By concept and random set, where they are known already because the rows to score are on several ranks.
  std::map<std::pair<Index, Index>, HeldOutScores> scores;
};

// gradients: m × d. Throws std::invalid_argument when columns differ or a value is not finite (naming
// set, row and column), std::runtime_error when there is no room for scratch files. Large products run
// in float pieces added up in double; small ones in double. Sources that allow it are used in place or
// read by several threads; others are read by the calling thread while the batch before is worked on.
// progress is called by the calling thread. Results do not depend on the number of threads.
Pass run_pass(const MatrixFRef& gradients, const std::vector<RowSource*>& sources,
              const PassOptions& options);

}  // namespace atcav::pass
