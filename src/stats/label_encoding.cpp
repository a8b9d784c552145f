#include "stats/label_encoding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "atcav/effect.h"
#include "core/block_product.h"
#include "core/check.h"
#include "core/cholesky.h"

namespace atcav::stats {
namespace {

constexpr Index kEncodingFolds = 5;

// Scores of held-out rows, and what is left of their labels: scored rows × labels each.
struct HeldOutRows {
  Matrix scores, labels;
};

HeldOutRows score_folds(const MatrixRef& products, const std::vector<Index>& scored, const Matrix& labels,
                        const std::vector<Index>& folds, Index count, int threads) {
  const Index q = labels.cols();
  HeldOutRows found{Matrix::Zero(products.rows(), q), Matrix::Zero(products.rows(), q)};
  const Matrix all = row_products(labels.transpose(), threads);
  for (Index fold = 0; fold < count; ++fold) {
    std::vector<Index> train;
    std::vector<Index> places;  // of the fold's rows among the scored
    std::vector<Index> own;
    std::vector<Index> held_out;
    for (Index i = 0; i < labels.rows(); ++i) (folds[i] == fold ? held_out : train).push_back(i);
    for (Index s = 0; s < std::ssize(scored); ++s) {
      if (folds[scored[s]] != fold) continue;
      places.push_back(s);
      own.push_back(scored[s]);
    }
    if (places.empty() || train.size() < 2) continue;
    Matrix known = Matrix::Zero(std::ssize(train), padded_width(q));
    known.leftCols(q) = labels(train, Eigen::all);
    const Eigen::RowVectorXd mean = known.leftCols(q).colwise().mean();
    known.leftCols(q).rowwise() -= mean;
    // All rows but the fold's, around their mean.
    Matrix gram = all - row_products(labels(held_out, Eigen::all).transpose(), threads);
    gram.noalias() -= static_cast<double>(train.size()) * mean.transpose() * mean;
    // A label that none of these rows has leaves no direction: scores of 0.
    constexpr double kRounding = 1e-20;  // of columns of length 1, squared
    const Eigen::RowVectorXd sizes = known.colwise().squaredNorm();
    for (Index k = 0; k < q; ++k) {
      if (sizes(k) > kRounding) continue;
      known.col(k).setZero();
      gram.row(k).setZero();
      gram.col(k).setZero();
    }
    gram.diagonal().array() += 1e-9 * std::max(1e-300, gram.diagonal().mean());
    const auto factor = cholesky(std::move(gram), threads);
    if (!factor) continue;
    Matrix along;
    multiply_block(products(places, train), known, along, threads);
    const auto count_here = std::ssize(places);
    Matrix both(q, 2 * count_here);  // scores, labels
    both.leftCols(count_here) = along.leftCols(q).transpose();
    both.rightCols(count_here) = (labels(own, Eigen::all).rowwise() - mean).transpose();
    TriangularSolver(*factor).solve_both(both, threads);
    found.scores(places, Eigen::all) = both.leftCols(count_here).transpose();
    found.labels(places, Eigen::all) = both.rightCols(count_here).transpose();
  }
  return found;
}

// Mean 0 and mean square 1; false where nothing varies.
bool standardise_column(Vector& values) {
  values.array() -= values.mean();
  const double size = std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
  if (!(size > 0)) return false;
  values /= size;
  return true;
}

HeldOutCorrelation correlate(Vector scores, Vector labels, const Groups& groups, Index folds, double level) {
  HeldOutCorrelation found;
  if (!standardise_column(scores) || !standardise_column(labels)) return found;
  const auto n = static_cast<double>(scores.size());
  found.value = std::clamp(scores.dot(labels) / n, -1.0, 1.0);
  const Vector influences =
      scores.array() * labels.array() - found.value / 2 * (scores.array().square() + labels.array().square());
  Vector sums = influences;
  if (!groups.empty()) {
    sums = Vector::Zero(groups.count);
    for (Index i = 0; i < influences.size(); ++i) sums(groups.of_row[i]) += influences(i);
  }
  const auto count = static_cast<double>(sums.size());
  if (count < 3 || std::abs(found.value) >= 1) return found;
  const double shared = 1 + static_cast<double>(folds) / static_cast<double>(folds - 1);
  const double error = std::sqrt(shared * sums.squaredNorm() * count / (count - 1)) / n;
  const double reach = t_quantile((1 + level) / 2, count - 1) * error / (1 - found.value * found.value);
  const double centre = std::atanh(found.value);
  found.interval = {std::tanh(centre - reach), std::tanh(centre + reach)};
  return found;
}

}  // namespace

std::vector<Index> scored_rows(Index count, Index rows) {
  std::vector<Index> scored;
  for (Index s = 0; s < count; ++s) scored.push_back(s * rows / count);
  return scored;
}

std::vector<HeldOutCorrelation> held_out_correlations(const MatrixRef& products,
                                                      const std::vector<Index>& scored,
                                                      const MatrixRef& labels, const Groups& groups,
                                                      double level, int threads) {
  check_same("held_out_correlations", "rows", "the products", products.rows(), "what was scored",
             std::ssize(scored));
  check_same("held_out_correlations", "columns or rows", "the products", products.cols(), "the labels",
             labels.rows());
  const Index most = groups.empty() ? labels.rows() : groups.count;
  const Index count = std::min(kEncodingFolds, most);
  std::vector<Index> folds(static_cast<std::size_t>(labels.rows()));
  for (Index i = 0; i < labels.rows(); ++i) folds[i] = (groups.empty() ? i : groups.of_row[i]) % count;
  Matrix units = labels.rowwise() - labels.colwise().mean();
  for (auto column : units.colwise()) {
    if (const double size = column.norm(); size > 0) column /= size;
  }
  const HeldOutRows held = score_folds(products, scored, units, folds, count, threads);
  Groups own;
  if (!groups.empty()) {
    std::vector<std::string> names;
    names.reserve(scored.size());
    for (const Index row : scored) names.push_back(std::to_string(groups.of_row[row]));
    own = groups_of(names);
  }
  std::vector<HeldOutCorrelation> found;
  for (Index k = 0; k < labels.cols(); ++k)
    found.push_back(correlate(held.scores.col(k), held.labels.col(k), own, count, level));
  return found;
}

}  // namespace atcav::stats
