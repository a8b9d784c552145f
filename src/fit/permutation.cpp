#include "fit/permutation.h"

#include <cmath>
#include <limits>

#include "atcav/random.h"
#include "core/check.h"
#include "core/parallel.h"
#include "stats/refit_scores.h"

namespace atcav::fit {
namespace {

// Ties count as extreme; rounding must not break them.
constexpr double kTie = 1e-12;

stats::ScoreRule one_sigmoid_for_all(const Matrix& refits, const Vector& observed, stats::ScoreRule rule) {
  if (rule.scale == stats::ScoreRule::Scale::kOne) return rule;
  const auto count = static_cast<double>(refits.size() + observed.size());
  const double scale = std::sqrt((refits.squaredNorm() + observed.squaredNorm()) / count);
  rule.scale = stats::ScoreRule::Scale::kOne;
  // No sensitivity at all in any labelling: all scores are ½ and tie.
  rule.steepness = scale > 0 ? rule.steepness / scale : 1;
  return rule;
}

// F with F Fᵀ = this covariance, one column for each of its dimensions: Cholesky with pivots, which stops at
// the numerical rank.
Matrix root_of(const Matrix& covariance) {
  const Index n = covariance.rows();
  Vector left = covariance.diagonal();
  const double floor = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * left.maxCoeff();
  Matrix root(n, n);
  for (Index rank = 0; rank < n; ++rank) {
    Index pivot = 0;
    const double largest = left.maxCoeff(&pivot);
    if (!(largest > floor)) return root.leftCols(rank);
    const Vector known = root.leftCols(rank) * root.row(pivot).head(rank).transpose();
    const Vector column = (covariance.row(pivot).transpose() - known) / std::sqrt(largest);
    root.col(rank) = (left.array() == 0).select(0, column);
    left.array() -= root.col(rank).array().square();
    left(pivot) = 0;
  }
  return root;
}

}  // namespace

RowNumbers dealt_rows(Index all, Index concept_rows, Index k, const ResamplingOptions& options) {
  Stream stream(options.seed, {kTaskPermutation, options.key, static_cast<std::uint64_t>(k)});
  if (options.paired) {
    RowNumbers swapped = row_range(0, concept_rows);
    for (Index& row : swapped) row += stream.below(2) * concept_rows;
    return swapped;
  }
  RowNumbers rows = stream.permutation(all);
  rows.resize(static_cast<std::size_t>(concept_rows));
  return rows;
}

std::vector<RowNumbers> deal_rows(Index all, Index concept_rows, Index count,
                                  const ResamplingOptions& options) {
  std::vector<RowNumbers> dealt(static_cast<std::size_t>(count));
  parallel_for(count, options.threads,
               [&](Index k) { dealt[k] = dealt_rows(all, concept_rows, k, options); });
  return dealt;
}

double permutation_p(const Matrix& relabelled, const Vector& full, const stats::ScoreRule& rule,
                     int threads) {
  const stats::ScoreRule fixed = one_sigmoid_for_all(relabelled, full, rule);
  const double distance = std::abs(stats::score(full, fixed) - 0.5);
  const Vector scores = stats::scores_of_rows(relabelled, fixed, threads);
  const Index extreme = 1 + ((scores.array() - 0.5).abs() >= distance - kTie).count();
  return static_cast<double>(extreme) / static_cast<double>(relabelled.rows() + 1);
}

double permutation_p(const MeanRefitter& means, const stats::ScoreRule& rule, Index count,
                     const ResamplingOptions& options) {
  check_at_least("permutation_p", "count", count, 1);
  const auto deal = [&](Index k) { return dealt_rows(means.all_rows(), means.concept_rows(), k, options); };
  return permutation_p(means.relabelled(count, deal, options.threads), means.full(), rule, options.threads);
}

double gaussian_permutation_p(const pass::Projections& random, const pass::Projections& concept_set,
                              bool fast, const stats::ScoreRule& rule, Index count,
                              const ResamplingOptions& options) {
  check_at_least("gaussian_permutation_p", "count", count, 1);
  if (!random.covariance || !concept_set.covariance) {
    fail_argument("gaussian_permutation_p", "a set has no covariance, must come from a moments-only pass");
  }
  const auto n1 = static_cast<double>(random.count());
  const auto n2 = static_cast<double>(concept_set.count());
  const double factor = fast ? n1 / (n1 + n2) : 1;
  const Vector difference = concept_set.mean() - random.mean();
  Matrix pooled = (n1 - 1) * *random.covariance + (n2 - 1) * *concept_set.covariance;
  pooled += n1 * n2 / (n1 + n2) * difference * difference.transpose();
  pooled *= (1 / n1 + 1 / n2) / (n1 + n2 - 1);
  const Matrix root = root_of(pooled);
  Matrix refits(count, difference.size());
  for (Index k = 0; k < count; ++k) {
    Stream stream(options.seed, {kTaskPermutation, options.key, static_cast<std::uint64_t>(k)});
    refits.row(k) = factor * (root * stream.normal_matrix(root.cols(), 1)).transpose();
  }
  return permutation_p(refits, factor * difference, rule, options.threads);
}

}  // namespace atcav::fit
