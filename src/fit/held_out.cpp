#include "fit/held_out.h"

#include <algorithm>
#include <optional>

#include "core/check.h"
#include "core/parallel.h"

namespace atcav::span {
namespace {

constexpr Index kReadAtOnce = Index{1} << 20;  // numbers

// Row f: mean of the rows outside fold f, centred.
Matrix means_without_folds(const HeldOut& set) {
  const Vector counts = set.fold_counts.sum() - set.fold_counts.array();
  const Matrix sums = set.fold_sums.total();
  const Eigen::RowVectorXd total = sums.colwise().sum();
  Matrix means = (-sums).rowwise() + total;
  means.array().colwise() /= counts.array();
  return means;
}

SetScores score(const HeldOut& set, const Vector& centre, const Matrix& directions, const Vector& offsets,
                int threads) {
  const auto count = static_cast<Index>(set.rows.size());
  SetScores result{Vector(count), std::vector<Index>(count)};
  for (Index i = 0; i < count; ++i) result.folds[i] = set.rows[i] % directions.rows();
  if (const std::optional<Vector> products = set.values->fold_products(directions)) {
    for (Index i = 0; i < count; ++i) result.scores(i) = (*products)(i)-offsets(result.folds[i]);
    return result;
  }
  // Several at a time, which a device gives in hardly more time than one, into room that is there already.
  const Index step = std::clamp<Index>(kReadAtOnce / std::max<Index>(1, centre.size()), 1, 64);
  const Index blocks = (count + step - 1) / step;
  const Index workers = std::min<Index>(threads > 0 ? threads : available_threads(), blocks);
  parallel_for(workers, threads, [&](Index worker) {
    MatrixF room(step, centre.size());
    for (Index first = worker * step; first < count; first += workers * step) {
      auto rows = room.topRows(std::min(step, count - first));
      set.values->read(first, rows);
      for (Index i = first; i < first + rows.rows(); ++i) {
        const Index fold = result.folds[i];
        result.scores(i) =
            (rows.row(i - first).cast<double>() - centre.transpose()).dot(directions.row(fold)) -
            offsets(fold);
      }
    }
  });
  return result;
}

}  // namespace

HeldOutScores held_out_scores(const Pass& pass, Index concept_set, Index random_set, int threads) {
  const auto sets = static_cast<Index>(pass.sets.size());
  if (concept_set < 0 || concept_set >= sets || random_set < 0 || random_set >= sets) {
    fail_argument("held_out_scores", "there is no such set in the pass");
  }
  if (const auto known = pass.scores.find({concept_set, random_set}); known != pass.scores.end())
    return known->second;
  const HeldOut& random = pass.sets[random_set].held_out;
  const HeldOut& positive = pass.sets[concept_set].held_out;
  const Matrix random_means = means_without_folds(random);
  Matrix directions = means_without_folds(positive);
  const Vector offsets = 0.5 * (directions.rowwise().squaredNorm() - random_means.rowwise().squaredNorm());
  directions -= random_means;
  return {score(random, pass.centre, directions, offsets, threads),
          score(positive, pass.centre, directions, offsets, threads)};
}

}  // namespace atcav::span
