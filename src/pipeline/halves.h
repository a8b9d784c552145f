#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "atcav/matrix.h"

namespace atcav {

// A set of rows cut in two at random: one part finds, the other tests. Rows of one group stay together.
struct Halves {
  std::vector<Index> finds;  // increasing
  std::vector<Index> tests;
};

// `groups` has a name for each row, or none at all: then each row is a group. Half of the groups, rounded up,
// find; which ones depends on the seed and the name of the set. std::invalid_argument for fewer than 8
// groups.
inline constexpr Index kLeastGroups = 8;
Halves halve(const std::string& set_name, const std::vector<std::string>& groups, Index rows,
             std::uint64_t seed);

}  // namespace atcav
