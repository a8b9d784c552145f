#pragma once

#include <vector>

#include "atcav/groups.h"
#include "atcav/interval.h"
#include "atcav/matrix.h"

// Does a layer tell each label when the others are known? In five folds, groups of rows in one fold together,
// the joint direction of label k is fitted on four (β_k = Xᵀ H_k, joint_effect.h) and rows of the fifth are
// scored with it. The score is correlated with what the other labels, by the same four folds, leave of the
// label: Frisch and Waugh's residual. Only inner products of rows are needed.
namespace atcav::stats {

struct HeldOutCorrelation {
  double value = 0;
  // From the influence of each row (added up within groups) on Fisher's scale, t with one degree less than
  // there are groups. Folds share most of what they are fitted on, so the variance is 1 + k/(k-1) times that
  // of k independent ones (Nadeau & Bengio 2003), which errs on the safe side.
  Interval interval{-1, 1};
};

// Rows that are scored where there are too many for all: `count` of `rows`, evenly spread; all if equal.
std::vector<Index> scored_rows(Index count, Index rows);

// products: x_s·x_i of the scored rows with all rows, around any centre. labels: all rows × q, known. One
// result per label, of 0 where nothing varies.
std::vector<HeldOutCorrelation> held_out_correlations(const MatrixRef& products,
                                                      const std::vector<Index>& scored,
                                                      const MatrixRef& labels, const Groups& groups,
                                                      double level, int threads);

}  // namespace atcav::stats
