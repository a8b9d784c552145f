#include "atcav/run/rank_units.h"

#include <algorithm>
#include <numeric>

namespace atcav {

std::vector<Unit> deal_units(const std::vector<Index>& set_rows, Index step, int ranks) {
  const Index total = std::accumulate(set_rows.begin(), set_rows.end(), Index{0});
  std::vector<Unit> units;
  Index before = 0;
  for (std::size_t set = 0; set < set_rows.size(); ++set) {
    for (Index first = 0; first < set_rows[set]; first += step) {
      const Index rows = std::min(step, set_rows[set] - first);
      const Index owner = before == 0 ? 0 : (before + rows / 2) * ranks / total;
      units.push_back({static_cast<Index>(set), first, rows, static_cast<int>(owner)});
      before += rows;
    }
  }
  return units;
}

bool has_rows(const std::vector<Unit>& units, Index set, int rank) {
  return std::any_of(units.begin(), units.end(),
                     [&](const Unit& unit) { return unit.set == set && unit.owner == rank; });
}

}  // namespace atcav
