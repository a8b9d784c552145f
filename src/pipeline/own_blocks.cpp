#include "pipeline/own_blocks.h"

#include <fmt/format.h>

#include "comm/comm.h"
#include "core/check.h"

namespace atcav {

Part own_part(const CollectOptions& options) {
  return options.share.value_or(Part{comm::rank(), comm::size()});
}

bool is_shared(const CollectOptions& options) { return options.share || comm::size() > 1; }

std::vector<Index> row_counts(std::span<const OpenedSet> sets) {
  std::vector<Index> rows;
  rows.reserve(sets.size());
  for (const OpenedSet& set : sets) rows.push_back(set.rows());
  return rows;
}

std::vector<Unit> units_of(const Session& session, std::span<const OpenedSet> sets, Index least,
                           const CollectOptions& options) {
  const std::vector<Index> rows = row_counts(sets);
  Index step = session.batch * ((least + session.batch - 1) / session.batch);
  const auto fixed =
      std::ranges::find_if(sets, [](const OpenedSet& set) { return !set.inputs.has_any_order(); });
  const bool some_given =
      std::ranges::any_of(sets, [](const OpenedSet& set) { return !set.inputs.stored(); });
  if (fixed != sets.end() && is_shared(options)) {
    fail_argument(
        "run", fmt::format("{}: its batches come in an order of their own, so processes cannot share them; "
                           "expected files, arrays, tensors or a Dataset",
                           fixed->name()));
  }
  if (fixed != sets.end() || (some_given && options.on_device && !is_shared(options)))
    step = *std::ranges::max_element(rows);
  return deal_units(rows, step, own_part(options).of);
}

void share_hashes(std::span<OpenedSet> sets, const std::vector<Unit>& units) {
  constexpr std::size_t kLength = 64;
  for (const Unit& unit : units) {
    const auto hashes =
        std::span(sets[unit.set].hashes)
            .subspan(static_cast<std::size_t>(unit.first), static_cast<std::size_t>(unit.rows));
    std::string all;
    for (const std::string& hash : hashes) all += hash;
    all.resize(kLength * hashes.size());
    comm::broadcast_values(all, unit.owner);
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = all.substr(i * kLength, kLength);
  }
}

ShareProgress::ShareProgress(const Progress& progress, std::string stage, const std::vector<Unit>& units,
                             const Part& part)
    : progress_(progress), stage_(std::move(stage)) {
  for (const Unit& unit : units) total_ += unit.owner == part.number ? unit.rows : 0;
}

void ShareProgress::add(Index count) {
  done_ += count;
  if (progress_ && comm::rank() == 0) progress_(stage_, done_, total_);
}

}  // namespace atcav
