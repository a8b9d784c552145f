#pragma once

#include <utility>
#include <vector>

#include "atcav/run/rank_units.h"
#include "atcav/span/pass.h"

// The passes of all ranks (comm/comm.h), each over its own units, become one.
//
// For pattern and fast what travels is m × n projections, the k × d sums over folds of the sets a rank has
// rows of, and the held-out scores: nothing that grows with n × d. For ridge, logistic and svm the rows
// travel too, unit by unit, so that each rank can compute its tiles of K and rank 0 directions, which are
// combinations of rows.
namespace atcav {

struct MergeOptions {
  std::vector<Unit> units;                     // who has what
  std::vector<std::pair<Index, Index>> pairs;  // concept and random set of every test
  span::PassOptions pass;                      // as for one rank
};

// All ranks call it with what PassBuilder::finish_share gave them, for options without moments_only. All get
// the pass over all rows, byte for byte the same for any number of ranks.
span::Pass merge_passes(span::Pass share, const MergeOptions& options);

}  // namespace atcav
