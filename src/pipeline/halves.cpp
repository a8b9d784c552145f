#include "pipeline/halves.h"

#include <algorithm>

#include "atcav/groups.h"
#include "atcav/random.h"
#include "core/check.h"

namespace atcav {
Halves halve(const std::string& set_name, const std::vector<std::string>& groups, Index rows,
             std::uint64_t seed) {
  const Groups own = groups_of(groups);
  const Index count = own.empty() ? rows : own.count;
  check_at_least("discover",
                 "number of " + std::string(own.empty() ? "inputs" : "groups") + " of " + set_name, count,
                 kLeastGroups);
  Stream stream(seed, {kTaskHalvesOfSets, key_word(set_name)});
  const std::vector<Index> order = stream.permutation(count);
  std::vector<bool> finds(static_cast<std::size_t>(count));
  for (Index i = 0; i < (count + 1) / 2; ++i) finds[order[i]] = true;
  Halves halves;
  for (Index row = 0; row < rows; ++row)
    (finds[own.empty() ? row : own.of_row[row]] ? halves.finds : halves.tests).push_back(row);
  return halves;
}

}  // namespace atcav
