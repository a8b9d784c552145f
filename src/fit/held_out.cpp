#include "fit/held_out.h"

#include <algorithm>

#include "core/check.h"
#include "core/parallel.h"

namespace atcav::fit {
namespace {

// Row f: mean of the rows outside fold f, centred. In stripes of columns, which stay in the processor's
// cache.
Matrix means_without_folds(const pass::HeldOut& set, int threads) {
  constexpr Index kStripe = 4096;
  Vector counts = Vector::Constant(set.folds, set.group_counts.sum());
  for (Index first = 0; first < set.group_sums.rows(); first += set.folds)
    counts -= set.group_counts.segment(first, set.folds);
  const Index columns = set.group_sums.columns();
  Matrix means(set.folds, columns);
  parallel_for((columns + kStripe - 1) / kStripe, threads, [&](Index stripe) {
    const Index begin = stripe * kStripe;
    const Index width = std::min(kStripe, columns - begin);
    pass::CarriedSums folds(Matrix::Zero(set.folds, width));
    for (Index first = 0; first < set.group_sums.rows(); first += set.folds) {
      for (const Matrix* part : {&set.group_sums.values, &set.group_sums.carried})
        folds.add(0, Matrix(part->block(first, begin, set.folds, width)));
    }
    const Matrix sums = folds.total();
    const Eigen::RowVectorXd total = sums.colwise().sum();
    auto own = means.middleCols(begin, width);
    own = (-sums).rowwise() + total;
    own.array().colwise() /= counts.array();
  });
  return means;
}

pass::SetScores score(const pass::Pass& pass, Index set, const Matrix& directions, const Vector& offsets) {
  pass::SetScores result{pass.backend->scored_products(set, directions), {}};
  for (const Index row : pass.sets[set].held_out.rows) {
    const Index fold = row % directions.rows();
    result.scores(std::ssize(result.folds)) -= offsets(fold);
    result.folds.push_back(fold);
  }
  return result;
}

}  // namespace

pass::HeldOutScores held_out_scores(const pass::Pass& pass, Index concept_set, Index random_set,
                                    int threads) {
  const auto sets = static_cast<Index>(pass.sets.size());
  if (concept_set < 0 || concept_set >= sets || random_set < 0 || random_set >= sets) {
    fail_argument("held_out_scores", "there is no such set in the pass");
  }
  if (const auto known = pass.scores.find({concept_set, random_set}); known != pass.scores.end())
    return known->second;
  const pass::HeldOut& random = pass.sets[random_set].held_out;
  const pass::HeldOut& positive = pass.sets[concept_set].held_out;
  const Matrix random_means = means_without_folds(random, threads);
  Matrix directions = means_without_folds(positive, threads);
  const Vector offsets = 0.5 * (directions.rowwise().squaredNorm() - random_means.rowwise().squaredNorm());
  directions -= random_means;
  return {score(pass, random_set, directions, offsets), score(pass, concept_set, directions, offsets)};
}

}  // namespace atcav::fit
