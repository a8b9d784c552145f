#pragma once

#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "pass/pass.h"

// Who computes what in a run of several ranks (comm/comm.h); and their passes, each over its own units,
// become one.
//
// For pattern and fast what travels is m × n projections, the k × d sums over folds of the sets a rank has
// rows of, and the held-out scores: nothing that grows with n × d. For ridge, logistic and svm the rows
// travel too, unit by unit, so that each rank can compute its tiles of K and rank 0 directions, which are
// combinations of rows.
namespace atcav {

// Neighbouring rows of a set that one rank runs through the network and multiplies.
struct Unit {
  Index set = 0;
  Index first = 0;
  Index rows = 0;
  int owner = 0;
};

// Which units are this process's: of rank `number` of so many, or of a part of a run in shares.
struct Part {
  int number = 0;  // from 0
  int of = 1;
};

// Cuts sets of examples into units of `step` rows, but for the last of each set, and gives every rank about
// as many rows, all behind each other; the first unit goes to rank 0. The cuts do not depend on the number of
// ranks, and what is computed together is one unit: so no number does either.
std::vector<Unit> deal_units(const std::vector<Index>& set_rows, Index step, int ranks);

bool has_rows(const std::vector<Unit>& units, Index set, int rank);

// Rows of a set that one rank has: neighbours all.
struct RowRange {
  Index first = 0;
  Index rows = 0;
};
RowRange own_rows(const std::vector<Unit>& units, Index set, int rank);

struct MergeOptions {
  std::vector<Unit> units;                     // who has what
  std::vector<std::pair<Index, Index>> pairs;  // concept and random set of every test
  pass::PassOptions pass;                      // as for one rank
};

// All ranks call it with what PassBuilder::finish_share gave them, for options without moments_only. All get
// the pass over all rows, byte for byte the same for any number of ranks.
pass::Pass merge_passes(pass::Pass share, const MergeOptions& options);

// Where that was asked for, moments instead of the projections of all rows.
void reduce_to_moments(pass::Pass& pass, const pass::PassOptions& options);

}  // namespace atcav
