#pragma once

#include <vector>

#include "atcav/base/matrix.h"

// Who computes what in a run of several ranks (comm/comm.h).
namespace atcav {

// Neighbouring rows of a set that one rank runs through the network and multiplies.
struct Unit {
  Index set = 0;
  Index first = 0;
  Index rows = 0;
  int owner = 0;
};

// Cuts sets of examples into units of `step` rows, but for the last of each set, and gives every rank about
// as many rows, all behind each other; the first unit goes to rank 0. The cuts do not depend on the number of
// ranks, and what is computed together is one unit: so no number does either.
std::vector<Unit> deal_units(const std::vector<Index>& set_rows, Index step, int ranks);

bool has_rows(const std::vector<Unit>& units, Index set, int rank);

}  // namespace atcav
