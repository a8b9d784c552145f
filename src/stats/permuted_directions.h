#pragma once

#include <cstdint>

#include "atcav/matrix.h"

// Do directions go with gradients more than directions that know nothing of the network? Random directions of
// the same length are made from the given ones: their values stand at other coordinates. With gradients g and
// directions w,
//   T_k = max_g |cos(w_k, g)|,   p_k = (1 + #{π: max_l T_l(π w) ≥ T_k}) / (1 + number of π)
// The null hypothesis is that the gradients' coordinates are exchangeable given the directions, as in a
// network whose weights behind the layer are shuffled or were never trained: then some p is below α with
// probability α at most, whatever the number of directions, because the largest of all stands for each of
// them (Westfall & Young 1993).
namespace atcav::stats {

struct PermutedDirections {
  Vector p;          // of each direction, corrected over all of them
  Vector cosines;    // T_k
  double usual = 0;  // median of the largest |cosine| of permuted ones
  Index permutations = 0;
};

// Rows of `directions` (K × d) and `gradients`; those that are zero go with nothing: p is 1. The key says
// which layer and class these are.
PermutedDirections compare_with_permuted(const Matrix& directions, const Matrix& gradients,
                                         Index permutations, std::uint64_t seed, std::uint64_t key,
                                         int threads);

// So many that the work stays below a second or so, from 199 to 9,999.
Index affordable_permutations(Index directions, Index columns);

}  // namespace atcav::stats
