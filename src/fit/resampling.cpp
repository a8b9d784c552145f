#include "fit/resampling.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "atcav/random.h"
#include "core/check.h"

namespace atcav::fit {
namespace {

RowNumbers shuffled(Index first, Index count, Stream& stream) {
  RowNumbers rows = stream.permutation(count);
  for (Index& row : rows) row += first;
  return rows;
}

// Part t of `parts` nearly equal ones.
RowNumbers part_of(const RowNumbers& rows, Index t, Index parts) {
  const auto n = static_cast<Index>(rows.size());
  return {rows.begin() + t * n / parts, rows.begin() + (t + 1) * n / parts};
}

// Of random rows the concept's rows that belong to them.
RowNumbers partners_of(RowNumbers random, const Refitter& refitter) {
  for (Index& row : random) row += refitter.random_rows();
  return random;
}

// All that the rows of a drawing depend on beside the refitter's sizes.
std::uint64_t drawing_key(Task task, const ResamplingOptions& options, Index count, Index parts = 0,
                          Index more = 0) {
  const auto word = [](auto value) { return static_cast<std::uint64_t>(value); };
  return Stream(options.seed,
                {word(task), options.key, word(options.paired), word(count), word(parts), word(more)})
             .next() |
         1;
}

Choice shuffled_sets(const Refitter& refitter, Stream stream, bool paired) {
  RowNumbers random = shuffled(0, refitter.random_rows(), stream);
  RowNumbers concept_rows = paired ? partners_of(random, refitter)
                                   : shuffled(refitter.random_rows(), refitter.concept_rows(), stream);
  return {std::move(random), std::move(concept_rows)};
}

// The order in which a drawing deals rows to groups.
Choice jackknife_order(const Refitter& refitter, Index drawing, const ResamplingOptions& options) {
  const auto shuffled_by = [&](const Stream& stream) {
    return shuffled_sets(refitter, stream, options.paired);
  };
  if (drawing == 0) return shuffled_by(Stream(options.seed, {kTaskJackknife, options.key}));
  return shuffled_by(
      Stream(options.seed, {kTaskJackknife, options.key, static_cast<std::uint64_t>(drawing)}));
}

// All of `parts` disjoint parts of both sets, shuffled anew for each split.
Drawing part_drawing(const char* function, const Refitter& refitter, Index parts, Index splits,
                     const ResamplingOptions& options) {
  check_at_least(function, "random rows", refitter.random_rows(), parts);
  check_at_least(function, "concept rows", refitter.concept_rows(), parts);
  const auto part = [&refitter, parts, options](Index k) {
    const Stream stream(options.seed, {kTaskHalves, options.key, static_cast<std::uint64_t>(k / parts)});
    const Choice rows = shuffled_sets(refitter, stream, options.paired);
    return Choice{part_of(rows.random, k % parts, parts), part_of(rows.concept_rows, k % parts, parts)};
  };
  return {parts * splits, part, drawing_key(kTaskHalves, options, splits, parts)};
}

// Without group `group`; row i is in group i mod G. Of that, half `half` of pairing 1 or 2; pairing 0 keeps
// both. Which half a row is in must not change when a group leaves, or the halves' own chance would drown
// the jackknife's small differences.
Choice kept_rows(const Choice& all, Index groups, Index group, Index pairing, Index half) {
  const auto choose = [=](const RowNumbers& rows) {
    RowNumbers chosen;
    for (Index i = 0; i < static_cast<Index>(rows.size()); ++i) {
      const bool in_half = pairing == 0 || (i / pairing) % 2 == half;
      if (i % groups != group && in_half) chosen.push_back(rows[i]);
    }
    return chosen;
  };
  return {choose(all.random), choose(all.concept_rows)};
}

}  // namespace

Drawing split_drawing(const Refitter& refitter, Index runs, Split split, const ResamplingOptions& options) {
  check_at_least("split_runs", "runs", runs, 1);
  check_at_least("split_runs", "random rows", refitter.random_rows(), runs);
  if (split == Split::kBoth) check_at_least("split_runs", "concept rows", refitter.concept_rows(), runs);
  const Choice rows =
      shuffled_sets(refitter, Stream(options.seed, {kTaskSplit, options.key}), options.paired);
  const auto part = [=](Index t) {
    return Choice{part_of(rows.random, t, runs),
                  split == Split::kBoth ? part_of(rows.concept_rows, t, runs) : rows.concept_rows};
  };
  return {runs, part, drawing_key(kTaskSplit, options, runs, split == Split::kBoth ? 1 : 0)};
}

Drawing random_null_drawing(const Refitter& refitter, Index runs, const ResamplingOptions& options) {
  check_at_least("random_null_runs", "runs", runs, 2);
  check_at_least("random_null_runs", "random rows", refitter.random_rows(), runs);
  Stream stream(options.seed, {kTaskRandomNull, options.key});
  const RowNumbers rows = shuffled(0, refitter.random_rows(), stream);
  const auto part = [=](Index t) {
    return Choice{part_of(rows, (t + 1) % runs, runs), part_of(rows, t, runs)};
  };
  return {runs, part, drawing_key(kTaskRandomNull, options, runs)};
}

Drawing bootstrap_drawing(const Refitter& refitter, Index count, const ResamplingOptions& options) {
  const auto draw = [&refitter, options](Index k) {
    Stream stream(options.seed, {kTaskBootstrap, options.key, static_cast<std::uint64_t>(k)});
    Choice rows{RowNumbers(static_cast<std::size_t>(refitter.random_rows())),
                RowNumbers(static_cast<std::size_t>(refitter.concept_rows()))};
    for (Index& row : rows.random) row = stream.below(refitter.random_rows());
    if (options.paired) return Choice{rows.random, partners_of(rows.random, refitter)};
    for (Index& row : rows.concept_rows) row = refitter.random_rows() + stream.below(refitter.concept_rows());
    return rows;
  };
  return {count, draw, drawing_key(kTaskBootstrap, options, count)};
}

Drawing half_drawing(const Refitter& refitter, Index splits, const ResamplingOptions& options) {
  return part_drawing("half_runs", refitter, 2, splits, options);
}

Drawing quarter_drawing(const Refitter& refitter, Index splits, const ResamplingOptions& options) {
  return part_drawing("quarter_runs", refitter, 4, splits, options);
}

Drawing jackknife_drawing(const Refitter& refitter, Index groups, Index drawings,
                          const ResamplingOptions& options) {
  check_at_least("jackknife_runs", "groups", groups, 2);
  check_at_least("jackknife_runs", "random rows", refitter.random_rows(), groups);
  check_at_least("jackknife_runs", "concept rows", refitter.concept_rows(), groups);
  std::vector<Choice> orders;
  for (Index k = 0; k < drawings; ++k) orders.push_back(jackknife_order(refitter, k, options));
  const auto kept = [=](Index row) {
    return kept_rows(orders[static_cast<std::size_t>(row / groups)], groups, row % groups, 0, 0);
  };
  return {drawings * groups, kept, drawing_key(kTaskJackknife, options, groups, drawings)};
}

Drawing jackknife_half_drawing(const Refitter& refitter, Index groups, const ResamplingOptions& options) {
  const Choice all = jackknife_order(refitter, 0, options);
  const auto half = [=](Index k) {
    const Choice rows = kept_rows(all, groups, k / 4, 1 + (k % 4) / 2, k % 2);
    return rows.random.empty() || rows.concept_rows.empty() ? kept_rows(all, groups, k / 4, 0, 0) : rows;
  };
  return {4 * groups, half, drawing_key(kTaskJackknife, options, groups, 0, 4)};
}

double jackknife_error(const VectorRef& left_out) {
  check_at_least("jackknife_error", "groups", left_out.size(), 2);
  const auto groups = static_cast<double>(left_out.size());
  return std::sqrt((groups - 1) / groups * (left_out.array() - left_out.mean()).square().sum());
}

}  // namespace atcav::fit
