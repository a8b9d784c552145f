#include "pipeline/merge_passes.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "comm/comm.h"
#include "fit/held_out.h"
#include "pass/row_store.h"

namespace atcav {
namespace {

pass::SetPass& set_of(pass::Pass& pass, const Unit& unit) { return pass.sets[unit.set]; }

void merge_projections(pass::Pass& pass, const MergeOptions& options) {
  for (const Unit& unit : options.units) {
    auto columns = set_of(pass, unit).projections.values.middleCols(unit.first, unit.rows);
    Matrix part = columns;
    comm::broadcast_values(part, unit.owner);
    columns = part;
    comm::broadcast_values(set_of(pass, unit).squares.segment(unit.first, unit.rows), unit.owner);
    MatrixF& sketch = set_of(pass, unit).sketch;
    if (sketch.rows() > 0) comm::broadcast_values(sketch.middleRows(unit.first, unit.rows), unit.owner);
  }
  reduce_to_moments(pass, options.pass);
}

// What was rounded off is nearly always nothing: only the rest travels.
void broadcast_carried(Matrix& carried, int from) {
  struct Rest {
    std::int64_t place;
    double value;
  };
  std::vector<Rest> rest;
  for (Index i = 0; i < carried.size(); ++i) {
    if (carried.data()[i] != 0) rest.push_back({i, carried.data()[i]});
  }
  std::vector<std::int64_t> count = {static_cast<std::int64_t>(rest.size())};
  comm::broadcast_values(count, from);
  rest.resize(static_cast<std::size_t>(count.front()));
  comm::broadcast_values(rest, from);
  carried.setZero();
  for (const Rest& one : rest) carried.data()[one.place] = one.value;
}

void merge_sums(pass::Pass& pass, const MergeOptions& options) {
  for (std::size_t s = 0; s < pass.sets.size(); ++s) {
    pass::CarriedSums& own = pass.sets[s].held_out.group_sums;
    pass::CarriedSums all(Matrix::Zero(own.rows(), own.columns()));
    for (int rank = 0; rank < comm::size(); ++rank) {
      if (!has_rows(options.units, static_cast<Index>(s), rank)) continue;
      pass::CarriedSums theirs =
          rank == comm::rank() ? own : pass::CarriedSums(Matrix::Zero(own.rows(), own.columns()));
      comm::broadcast_values(theirs.values, rank);
      broadcast_carried(theirs.carried, rank);
      all.add(theirs);
    }
    own = pass::CarriedSums(all.total());
  }
}

// Every rank scores its own rows with the sums of all.
void merge_scores(pass::Pass& pass, const MergeOptions& options) {
  const auto share = [&](pass::SetScores& scores, Index set) {
    const std::vector<Index>& rows = pass.sets[set].held_out.rows;
    for (const Unit& unit : options.units) {
      if (unit.set != set) continue;
      const auto first = std::lower_bound(rows.begin(), rows.end(), unit.first);
      const auto end = std::lower_bound(first, rows.end(), unit.first + unit.rows);
      comm::broadcast_values(scores.scores.segment(first - rows.begin(), end - first), unit.owner);
    }
  };
  for (const auto& [concept_set, random_set] : options.pairs) {
    pass::HeldOutScores scores = fit::held_out_scores(pass, concept_set, random_set);
    share(scores.random, random_set);
    share(scores.concept_rows, concept_set);
    pass.scores[{concept_set, random_set}] = std::move(scores);
  }
}

void exchange_features(pass::Pass& pass, const MergeOptions& options) {
  for (const Unit& unit : options.units) {
    Index before = 0;
    for (Index s = 0; s < unit.set; ++s) before += pass.sets[s].projections.columns();
    comm::broadcast_values(pass.features->middleRows(before + unit.first, unit.rows), unit.owner);
  }
}

// Ranks multiply on the host, so that is where the rows are.
void exchange_rows(const pass::Pass& pass, const MergeOptions& options) {
  for (const Unit& unit : options.units) {
    pass::RowStore& store = *pass.backend->host_stores(unit.set).all;
    MatrixF rows(unit.rows, pass.dimension);
    if (unit.owner == comm::rank()) store.read(unit.first, rows);
    comm::broadcast_values(rows, unit.owner);
    if (unit.owner != comm::rank()) store.write(unit.first, rows);
  }
}

Matrix merged_gram(const pass::Pass& pass, const MergeOptions& options) {
  std::vector<pass::RowBlock> blocks;
  for (Index set = 0; set < std::ssize(pass.sets); ++set)
    blocks.push_back(pass.backend->host_stores(set).all->block());
  Matrix gram = pass::centred_gram_part(blocks, pass.centre.cast<float>(), pass.exact, options.pass.threads,
                                        comm::rank(), comm::size());
  int owner = 0;
  for (const pass::GramTile& tile : pass::gram_tiles(gram.rows())) {
    auto place = gram.block(tile.row, tile.column, tile.rows, tile.columns);
    Matrix values = place;
    comm::broadcast_values(values, owner++ % comm::size());
    place = values;
  }
  pass::mirror(gram);
  return gram;
}

}  // namespace

pass::Pass merge_passes(pass::Pass share, const MergeOptions& options) {
  merge_projections(share, options);
  merge_sums(share, options);
  if (!options.pass.gram) {
    merge_scores(share, options);
  } else if (share.features) {
    exchange_features(share, options);
  } else {
    exchange_rows(share, options);
    share.gram = merged_gram(share, options);
  }
  return share;
}

void reduce_to_moments(pass::Pass& pass, const pass::PassOptions& options) {
  if (!options.moments_only) return;
  for (pass::SetPass& set : pass.sets) {
    set.sketch.resize(0, 0);
    const Matrix& values = set.projections.values;
    pass::Moments moments(values.rows(), std::min(options.blocks, values.cols()));
    moments.add(values);
    set.projections = moments.result();
  }
}

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

RowRange own_rows(const std::vector<Unit>& units, Index set, int rank) {
  RowRange range;
  for (const Unit& unit : units) {
    if (unit.set != set || unit.owner != rank) continue;
    if (range.rows == 0) range.first = unit.first;
    range.rows += unit.rows;
  }
  return range;
}

}  // namespace atcav
