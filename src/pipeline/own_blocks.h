#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "atcav/options.h"
#include "pipeline/layer_data.h"
#include "pipeline/layer_rows.h"
#include "pipeline/merge_passes.h"

// Which rows of all sets this process runs, block after block: everything, a rank's share (comm/comm.h), or a
// part of a run in files (pipeline/share.cpp).
namespace atcav {

struct CollectOptions {
  Options run = {};        // checked
  bool on_device = false;  // the network runs on one
  bool cached = false;     // rows may come from a cache, or kept ones: on the host
  Progress progress = {};
  bool groups = false;  // sums over many groups of examples are kept, for errors of what is tried out
  bool rows = false;    // and all rows, whatever the method
  // Which part of the rows this process has, where others are not waited for (pipeline/share.cpp). What
  // belongs to others is then not there, and a pass is what PassBuilder::finish_share gives. Without it ranks
  // share.
  std::optional<Part> share = {};
};

// Begins to read what comes behind the sets (pipeline/session.h); called once the last of them is begun.
using ReadOn = std::function<void()>;

Part own_part(const CollectOptions& options);
// With others, which add up on the host as with a cache: what was computed, found or sent gives the same
// bytes.
bool is_shared(const CollectOptions& options);

std::vector<Index> row_counts(std::span<const OpenedSet> sets);

// Units of whole blocks, and about as many rows as a pass multiplies at once. Batches of code's own are not
// to be cut; on a device, where one process computes all, a set is one unit.
std::vector<Unit> units_of(const Session& session, std::span<const OpenedSet> sets, Index least,
                           const CollectOptions& options);

// body(unit, first, count) for each block of this part's units; while it is worked on the next is read.
template <typename Body>
void each_own_block(const Session& session, std::span<OpenedSet> sets, const ReadOn& read_on,
                    const std::vector<Unit>& units, const Part& part, Body body) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const Unit& unit = units[u];
    if (unit.owner != part.number) continue;
    const auto s = static_cast<std::size_t>(unit.set);
    if (unit.first == 0 && part.of == 1) {
      if (s + 1 < sets.size())
        prepare(session, sets[s + 1], session.batch);
      else
        read_on();
    }
    const Index end = unit.first + unit.rows;
    const bool goes_on = u + 1 < units.size() && units[u + 1].owner == unit.owner;
    Index count = 0;
    for (Index first = unit.first; first < end; first += count) {
      count = std::min(sets[s].inputs.block(first, session.batch), end - first);
      // Behind the last unit of a part come other parts' rows: none.
      sets[s].inputs.expect(first + count < end || goes_on ? first + count : sets[s].rows());
      body(unit, first, count);
    }
  }
}

// Rows show their content when they are read, which is on one rank.
void share_hashes(std::span<OpenedSet> sets, const std::vector<Unit>& units);

// Says how far rank 0, or a part by itself, is with its own share.
class ShareProgress {
 public:
  ShareProgress(const Progress& progress, std::string stage, const std::vector<Unit>& units,
                const Part& part);
  void add(Index count);

 private:
  const Progress& progress_;
  std::string stage_;
  Index done_ = 0;
  Index total_ = 0;
};

}  // namespace atcav
