#pragma once

#include <vector>

#include "atcav/matrix.h"

// The class inputs that stand for the others in a report: those with the largest and smallest sensitivities.
namespace atcav {

inline constexpr Index kExtremes = 6;  // of each kind
struct Extremes {
  std::vector<Index> most;   // numbers of inputs from 0, the largest sensitivity first
  std::vector<Index> least;  // the smallest first
};
// Ties go to the first input. Of few inputs each list has half, the middle one of an odd number on both.
Extremes extremes_of(const std::vector<double>& sensitivities);

}  // namespace atcav
