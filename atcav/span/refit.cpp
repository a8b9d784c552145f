#include "atcav/span/refit.h"

#include <Eigen/Dense>
#include <cmath>
#include <numeric>
#include <utility>

#include "atcav/base/check.h"
#include "atcav/base/cpu_clones.h"

namespace atcav::span {
namespace {

// Z (XᵀX/n + λI)⁻¹ Xᵀ/√n = Z Xᵀ (XXᵀ/n + λI)⁻¹/√n, in the smaller of the two forms.
Matrix ridge_smoother(const Matrix& x, const Matrix& z, double lambda) {
  const auto n = static_cast<double>(x.rows());
  const auto solve = [lambda](Eigen::MatrixXd gram, const Eigen::MatrixXd& right) -> Eigen::MatrixXd {
    gram.diagonal().array() += lambda;
    return gram.llt().solve(right);
  };
  if (x.rows() < x.cols()) return solve(x * x.transpose() / n, x * z.transpose()).transpose() / std::sqrt(n);
  return (x * solve(x.transpose() * x / n, z.transpose())).transpose() / std::sqrt(n);
}

ATCAV_CPU_CLONES
void add_scaled(double weight, const double* values, Index count, double* sum) {
  for (Index j = 0; j < count; ++j) sum[j] += weight * values[j];
}

// What is left where exact arithmetic gives 0 (equal sets, orthogonal gradients) is no sensitivity.
Vector without_rounding(Vector sensitivities, const Vector& sizes) {
  return (sensitivities.array().abs() <= 1e-14 * sizes.array()).select(0, sensitivities);
}

}  // namespace

RowNumbers row_range(Index first, Index last) {
  RowNumbers rows(static_cast<std::size_t>(last - first));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

Vector Refitter::relabelled(const RowNumbers& concept_rows) const {
  std::vector<bool> chosen(static_cast<std::size_t>(all_rows()), false);
  for (const Index row : concept_rows) chosen[row] = true;
  RowNumbers random;
  for (Index row = 0; row < all_rows(); ++row) {
    if (!chosen[row]) random.push_back(row);
  }
  return sensitivities(random, concept_rows);
}

Vector Refitter::full() const {
  return sensitivities(row_range(0, random_rows()), row_range(random_rows(), all_rows()));
}

MeanRefitter::MeanRefitter(const Projections& random, const Projections& concept_set, bool fast)
    : Refitter(random.columns(), concept_set.columns()), fast_(fast) {
  check_same("MeanRefitter", "inputs", "random", random.inputs(), "concept", concept_set.inputs());
  values_.resize(random.inputs(), all_rows());
  values_ << random.values, concept_set.values;
  weights_.resize(all_rows());
  weights_ << random.weights, concept_set.weights;
  sizes_ = values_.rowwise().lpNorm<Eigen::Infinity>();
  all_ = sum_of(row_range(0, all_rows()));
}

MeanRefitter::Sum MeanRefitter::sum_of(const RowNumbers& rows) const {
  // Column by column: a refit of a split touches few of them.
  Sum sum{0, Vector::Zero(values_.rows())};
  for (const Index row : rows) {
    sum.weight += weights_(row);
    add_scaled(weights_(row), values_.col(row).data(), values_.rows(), sum.values.data());
  }
  return sum;
}

Vector MeanRefitter::difference(const Sum& random, const Sum& of_concept) const {
  check_positive("MeanRefitter", "weight of the random rows", random.weight);
  check_positive("MeanRefitter", "weight of the concept rows", of_concept.weight);
  const double scale = fast_ ? random.weight / (random.weight + of_concept.weight) : 1.0;
  return without_rounding(scale * (of_concept.values / of_concept.weight - random.values / random.weight),
                          sizes_);
}

Vector MeanRefitter::sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const {
  return difference(sum_of(random), sum_of(concept_rows));
}

Vector MeanRefitter::relabelled(const RowNumbers& concept_rows) const {
  const Sum chosen = sum_of(concept_rows);
  return difference({all_.weight - chosen.weight, all_.values - chosen.values}, chosen);
}

FitRefitter::FitRefitter(Matrix features, Matrix gradients, Index random, stats::CavOptions options,
                         Vector fitted)
    : Refitter(random, features.rows() - random),
      features_(std::move(features)),
      gradients_(std::move(gradients)),
      options_(options),
      fitted_(std::move(fitted)) {
  check_same("FitRefitter", "columns", "features", features_.cols(), "gradients", gradients_.cols());
  if (options_.method == stats::CavMethod::kRidge && !options_.centred) {
    check_positive("fit_cav", "lambda", options_.lambda);
    smoother_ = ridge_smoother(features_, gradients_, options_.lambda);
  }
  if (fitted_.size() == 0) fitted_ = direction(row_range(0, random), row_range(random, all_rows()));
  check_same("FitRefitter", "values", "fitted", fitted_.size(), "a row", features_.cols());
}

Vector FitRefitter::direction(const RowNumbers& random, const RowNumbers& concept_rows) const {
  return stats::fit_cav(features_(random, Eigen::all), features_(concept_rows, Eigen::all), options_)
      .direction;
}

Vector FitRefitter::along(const Vector& direction) const {
  return without_rounding(gradients_ * direction, gradients_.rowwise().norm() * direction.norm());
}

Vector FitRefitter::sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const {
  return along(direction(random, concept_rows));
}

Vector FitRefitter::relabelled(const RowNumbers& concept_rows) const {
  if (smoother_.size() == 0) return Refitter::relabelled(concept_rows);
  Vector labels = Vector::Constant(all_rows(), -1);
  for (const Index row : concept_rows) labels(row) = 1;
  return smoother_ * labels;
}

HeldOutScores FitRefitter::held_out_scores(Index folds) const {
  Vector scores(all_rows());
  for (Index fold = 0; fold < folds; ++fold) {
    RowNumbers random;
    RowNumbers concept_part;
    RowNumbers left_out;
    for (Index row = 0; row < all_rows(); ++row) {
      const bool is_random = row < random_rows();
      const Index within = is_random ? row : row - random_rows();
      (within % folds == fold ? left_out : is_random ? random : concept_part).push_back(row);
    }
    const Vector w = direction(random, concept_part);
    const Vector middle = (features_(random, Eigen::all).colwise().mean() +
                           features_(concept_part, Eigen::all).colwise().mean())
                              .transpose() /
                          2;
    for (const Index row : left_out) scores(row) = features_.row(row).dot(w) - middle.dot(w);
  }
  const auto set = [&](Index first, Index count) {
    SetScores part{scores.segment(first, count), {}};
    for (Index i = 0; i < count; ++i) part.folds.push_back(i % folds);
    return part;
  };
  return {set(0, random_rows()), set(random_rows(), concept_rows())};
}

}  // namespace atcav::span
