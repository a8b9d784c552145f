#include "atcav/span/resampling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "atcav/base/check.h"
#include "atcav/base/parallel.h"
#include "atcav/base/random.h"

namespace atcav::span {
namespace {

using Choice = std::pair<RowNumbers, RowNumbers>;  // random, concept

// Row k of the result is body(k).
Matrix collect(Index count, const ResamplingOptions& options, const std::function<Vector(Index)>& body) {
  std::vector<Vector> refits(static_cast<std::size_t>(count));
  parallel_for(count, options.threads, [&](Index k) { refits[k] = body(k); });
  Matrix result(count, count == 0 ? 0 : refits[0].size());
  for (Index k = 0; k < count; ++k) result.row(k) = refits[k];
  return result;
}

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

Choice shuffled_sets(const Refitter& refitter, Stream stream) {
  RowNumbers random = shuffled(0, refitter.random_rows(), stream);
  RowNumbers concept_rows = shuffled(refitter.random_rows(), refitter.concept_rows(), stream);
  return {std::move(random), std::move(concept_rows)};
}

// The order in which a drawing deals rows to groups.
Choice jackknife_order(const Refitter& refitter, Index drawing, const ResamplingOptions& options) {
  if (drawing == 0) return shuffled_sets(refitter, Stream(options.seed, {kTaskJackknife, options.key}));
  return shuffled_sets(
      refitter, Stream(options.seed, {kTaskJackknife, options.key, static_cast<std::uint64_t>(drawing)}));
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
  return {choose(all.first), choose(all.second)};
}

Vector fit_half(const Refitter& refitter, const Choice& rows, Index half) {
  return refitter.sensitivities(part_of(rows.first, half, 2), part_of(rows.second, half, 2));
}

}  // namespace

Matrix split_runs(const Refitter& refitter, Index runs, Split split, const ResamplingOptions& options) {
  check_at_least("split_runs", "runs", runs, 1);
  check_at_least("split_runs", "random rows", refitter.random_rows(), runs);
  const Choice rows = shuffled_sets(refitter, Stream(options.seed, {kTaskSplit, options.key}));
  if (split == Split::kBoth) check_at_least("split_runs", "concept rows", refitter.concept_rows(), runs);
  return collect(runs, options, [&](Index t) {
    return refitter.sensitivities(part_of(rows.first, t, runs),
                                  split == Split::kBoth ? part_of(rows.second, t, runs) : rows.second);
  });
}

Matrix random_null_runs(const Refitter& refitter, Index runs, const ResamplingOptions& options) {
  check_at_least("random_null_runs", "runs", runs, 2);
  check_at_least("random_null_runs", "random rows", refitter.random_rows(), runs);
  Stream stream(options.seed, {kTaskRandomNull, options.key});
  const RowNumbers rows = shuffled(0, refitter.random_rows(), stream);
  return collect(runs, options, [&](Index t) {
    return refitter.sensitivities(part_of(rows, (t + 1) % runs, runs), part_of(rows, t, runs));
  });
}

Matrix bootstrap_runs(const Refitter& refitter, Index count, const ResamplingOptions& options) {
  return collect(count, options, [&](Index k) {
    Stream stream(options.seed, {kTaskBootstrap, options.key, static_cast<std::uint64_t>(k)});
    RowNumbers random(static_cast<std::size_t>(refitter.random_rows()));
    RowNumbers concept_rows(static_cast<std::size_t>(refitter.concept_rows()));
    for (Index& row : random) row = stream.below(refitter.random_rows());
    for (Index& row : concept_rows) row = refitter.random_rows() + stream.below(refitter.concept_rows());
    return refitter.sensitivities(random, concept_rows);
  });
}

Matrix permutation_runs(const Refitter& refitter, Index count, const ResamplingOptions& options) {
  return collect(count, options, [&](Index k) {
    Stream stream(options.seed, {kTaskPermutation, options.key, static_cast<std::uint64_t>(k)});
    RowNumbers rows = stream.permutation(refitter.all_rows());
    rows.resize(static_cast<std::size_t>(refitter.concept_rows()));
    return refitter.relabelled(rows);
  });
}

Matrix half_runs(const Refitter& refitter, Index splits, const ResamplingOptions& options) {
  check_at_least("half_runs", "random rows", refitter.random_rows(), 2);
  check_at_least("half_runs", "concept rows", refitter.concept_rows(), 2);
  return collect(2 * splits, options, [&](Index k) {
    const Stream stream(options.seed, {kTaskHalves, options.key, static_cast<std::uint64_t>(k / 2)});
    return fit_half(refitter, shuffled_sets(refitter, stream), k % 2);
  });
}

JackknifeRuns jackknife_runs(const Refitter& refitter, Index groups, const ResamplingOptions& options) {
  JackknifeRuns runs;
  runs.refits = jackknife_refits(refitter, groups, 0, options);
  const Choice all = jackknife_order(refitter, 0, options);
  runs.halves = collect(4 * groups, options, [&](Index k) {
    Choice rows = kept_rows(all, groups, k / 4, 1 + (k % 4) / 2, k % 2);
    if (rows.first.empty() || rows.second.empty()) rows = kept_rows(all, groups, k / 4, 0, 0);
    return refitter.sensitivities(rows.first, rows.second);
  });
  return runs;
}

Matrix jackknife_refits(const Refitter& refitter, Index groups, Index drawing,
                        const ResamplingOptions& options) {
  check_at_least("jackknife_runs", "groups", groups, 2);
  check_at_least("jackknife_runs", "random rows", refitter.random_rows(), groups);
  check_at_least("jackknife_runs", "concept rows", refitter.concept_rows(), groups);
  const Choice all = jackknife_order(refitter, drawing, options);
  return collect(groups, options, [&](Index g) {
    const Choice rows = kept_rows(all, groups, g, 0, 0);
    return refitter.sensitivities(rows.first, rows.second);
  });
}

double jackknife_error(const VectorRef& left_out) {
  check_at_least("jackknife_error", "groups", left_out.size(), 2);
  const auto groups = static_cast<double>(left_out.size());
  return std::sqrt((groups - 1) / groups * (left_out.array() - left_out.mean()).square().sum());
}

}  // namespace atcav::span
