#include "atcav/span/refit.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <utility>

#include "atcav/base/block_product.h"
#include "atcav/base/check.h"
#include "atcav/base/cpu_clones.h"
#include "atcav/base/parallel.h"
#include "atcav/span/weighted_sums.h"

namespace atcav::span {
namespace {

ATCAV_CPU_CLONES
void add_scaled(double weight, const double* values, Index count, double* sum) {
  for (Index j = 0; j < count; ++j) sum[j] += weight * values[j];
}

// What is left where exact arithmetic gives 0 (equal sets, orthogonal gradients) is no sensitivity.
Vector without_rounding(Vector sensitivities, const Vector& sizes) {
  return (sensitivities.array().abs() <= 1e-14 * sizes.array()).select(0, sensitivities);
}

Matrix collect_rows(Index count, int threads, const std::function<Vector(Index)>& body) {
  std::vector<Vector> rows(static_cast<std::size_t>(count));
  parallel_for(count, threads, [&](Index k) { rows[k] = body(k); });
  Matrix result(count, count == 0 ? 0 : rows[0].size());
  for (Index k = 0; k < count; ++k) result.row(k) = rows[k];
  return result;
}

// vectors · rowsᵀ, some vectors at a time on several threads.
Matrix products_with(const Matrix& rows, const Matrix& vectors, int threads) {
  constexpr Index kWidth = 32;
  Matrix products(vectors.rows(), rows.rows());
  parallel_for((vectors.rows() + kWidth - 1) / kWidth, threads, [&](Index block) {
    const Index first = block * kWidth;
    const Index count = std::min(kWidth, vectors.rows() - first);
    Matrix right = Matrix::Zero(rows.cols(), kWidth);
    right.leftCols(count) = vectors.middleRows(first, count).transpose();
    Matrix found;
    multiply_block(rows, right, found);
    products.middleRows(first, count) = found.leftCols(count).transpose();
  });
  return products;
}

Vector labels_of(Index random, Index all) {
  Vector labels = Vector::Ones(all);
  labels.head(random).setConstant(-1);
  return labels;
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

Matrix Refitter::refits(Index count, const std::function<Choice(Index)>& choose, int threads) const {
  return collect_rows(count, threads, [&](Index k) {
    const Choice rows = choose(k);
    return sensitivities(rows.random, rows.concept_rows);
  });
}

Matrix Refitter::relabelled_refits(Index count, const std::function<RowNumbers(Index)>& choose,
                                   int threads) const {
  return collect_rows(count, threads, [&](Index k) { return relabelled(choose(k)); });
}

MeanRefitter::MeanRefitter(const Projections& random, const Projections& concept_set, bool fast, int threads)
    : Refitter(random.columns(), concept_set.columns()), fast_(fast) {
  check_same("MeanRefitter", "inputs", "random", random.inputs(), "concept", concept_set.inputs());
  values_.resize(random.inputs(), all_rows());
  const auto turn = [&](const Matrix& from, Index first) {
    constexpr Index kColumns = 64;
    parallel_for((from.cols() + kColumns - 1) / kColumns, threads, [&](Index block) {
      const Index start = block * kColumns;
      const Index count = std::min(kColumns, from.cols() - start);
      values_.middleCols(first + start, count) = from.middleCols(start, count);
    });
  };
  turn(random.values, 0);
  turn(concept_set.values, random_rows());
  weights_.resize(all_rows());
  weights_ << random.weights, concept_set.weights;
  sizes_ = values_.rowwise().lpNorm<Eigen::Infinity>();
  const Sum of_random = sum_of(row_range(0, random_rows()));
  const Sum of_concept = sum_of(row_range(random_rows(), all_rows()));
  all_ = {of_random.weight + of_concept.weight, of_random.values + of_concept.values};
  full_ = difference(of_random, of_concept);
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
  return without_rounding(scale(random.weight, of_concept.weight) *
                              (of_concept.values / of_concept.weight - random.values / random.weight),
                          sizes_);
}

Vector MeanRefitter::sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const {
  return difference(sum_of(random), sum_of(concept_rows));
}

Vector MeanRefitter::relabelled(const RowNumbers& concept_rows) const {
  const Sum chosen = sum_of(concept_rows);
  return difference({all_.weight - chosen.weight, all_.values - chosen.values}, chosen);
}

double MeanRefitter::weight_of(const RowNumbers& rows) const {
  double weight = 0;
  for (const Index row : rows) weight += weights_(row);
  return weight;
}

Matrix MeanRefitter::refits(Index count, const std::function<Choice(Index)>& choose, int threads) const {
  // Weights of some refits at a time: all of them may be more than memory holds.
  constexpr Index kWeights = Index{4} << 20;
  const Index step = std::max<Index>(kWeights / all_rows(), 8);
  Matrix result(count, values_.rows());
  for (Index first = 0; first < count; first += step) {
    Matrix weights = Matrix::Zero(std::min(step, count - first), all_rows());
    parallel_for(weights.rows(), threads, [&](Index k) {
      const Choice rows = choose(first + k);
      const double random_weight = weight_of(rows.random);
      const double concept_weight = weight_of(rows.concept_rows);
      check_positive("MeanRefitter", "weight of the random rows", random_weight);
      check_positive("MeanRefitter", "weight of the concept rows", concept_weight);
      const double factor = scale(random_weight, concept_weight);
      for (const Index row : rows.random) weights(k, row) -= factor * weights_(row) / random_weight;
      for (const Index row : rows.concept_rows) weights(k, row) += factor * weights_(row) / concept_weight;
    });
    const Matrix sums = weighted_sums(weights, values_, threads);
    parallel_for(sums.rows(), threads, [&](Index k) {
      result.row(first + k) = without_rounding(sums.row(k).transpose(), sizes_).transpose();
    });
  }
  return result;
}

Matrix MeanRefitter::relabelled_refits(Index count, const std::function<RowNumbers(Index)>& choose,
                                       int threads) const {
  constexpr Index kNumbers = Index{4} << 20;
  const Index step = std::max<Index>(kNumbers / all_rows(), 8);
  Matrix result(count, values_.rows());
  for (Index first = 0; first < count; first += step) {
    std::vector<RowNumbers> chosen(static_cast<std::size_t>(std::min(step, count - first)));
    const auto own = static_cast<Index>(chosen.size());
    parallel_for(own, threads, [&](Index k) { chosen[static_cast<std::size_t>(k)] = choose(first + k); });
    const Matrix sums = chosen_sums(chosen, weights_, values_, threads);
    parallel_for(own, threads, [&](Index k) {
      const Sum of_concept{weight_of(chosen[static_cast<std::size_t>(k)]), sums.row(k).transpose()};
      const Sum of_random{all_.weight - of_concept.weight, all_.values - of_concept.values};
      result.row(first + k) = difference(of_random, of_concept).transpose();
    });
  }
  return result;
}

FitRefitter::FitRefitter(Matrix features, Matrix gradients, Index random, const stats::CavOptions& options,
                         int threads)
    : Refitter(random, features.rows() - random),
      features_(std::move(features)),
      gradients_(std::move(gradients)),
      options_(options),
      fits_(features_, labels_of(random, features_.rows()), options, threads) {
  check_same("FitRefitter", "columns", "features", features_.cols(), "gradients", gradients_.cols());
  if (stats::is_mean_difference(options.method))
    fail_argument("FitRefitter", "the method is a difference of means, must be a fit");
  projections_ = products_with(features_, gradients_, threads);
  sizes_ = gradients_.rowwise().norm();
  const WeightedRows all{Vector::Ones(all_rows()), labels_of(random, all_rows())};
  const NewtonFit& full = fits_.full();
  fitted_ = full.converged() ? Vector(factor(all) * (features_.transpose() * full.point().coefficients))
                             : solved_directly(all);
}

double FitRefitter::factor(const WeightedRows& rows) const {
  return options_.method == stats::CavMethod::kRidge ? std::sqrt(rows.weights.sum()) : 1;
}

Vector FitRefitter::along(const Vector& direction) const {
  return without_rounding(gradients_ * direction, sizes_ * direction.norm());
}

Vector FitRefitter::solved_directly(const WeightedRows& rows) const {
  Choice chosen;
  for (Index i = 0; i < all_rows(); ++i) {
    RowNumbers& set = rows.labels(i) > 0 ? chosen.concept_rows : chosen.random;
    set.insert(set.end(), static_cast<std::size_t>(rows.weights(i)), i);
  }
  return stats::fit_cav(features_(chosen.random, Eigen::all), features_(chosen.concept_rows, Eigen::all),
                        options_)
      .direction;
}

Matrix FitRefitter::solve(Index count, const SharedFits::Draw& draw, bool warm, int threads) const {
  Matrix result(count, gradients_.rows());
  fits_.solve(count, draw, warm, threads, [&](Index k, const WeightedRows& rows, const NewtonFit& fit) {
    if (!fit.converged()) {
      result.row(k) = along(solved_directly(rows)).transpose();
      return;
    }
    const FitPoint& at = fit.point();
    const double length = std::sqrt(std::max(at.coefficients.dot(at.products), 0.0));
    result.row(k) =
        factor(rows) * without_rounding(projections_ * at.coefficients, sizes_ * length).transpose();
  });
  return result;
}

// With all rows in, γ = A y with A symmetric: z·w = (X z)·(A y) = (A X z)·y, so that m fits whose labels are
// the projections of an input serve any number of labellings.
std::optional<Matrix> FitRefitter::of_labels(int threads) const {
  constexpr Index kWorthFactor = 100;  // products of a fit, about
  const Index m = gradients_.rows();
  std::optional<Matrix> found;
  if (kWorthFactor * m >= all_rows()) found = fits_.solve_ridge(projections_, threads);
  if (!found) {
    found.emplace(m, all_rows());
    const auto draw = [&](Index k) {
      return WeightedRows{Vector::Ones(all_rows()), projections_.row(k).transpose()};
    };
    fits_.solve(m, draw, false, threads, [&](Index k, const WeightedRows&, const NewtonFit& fit) {
      found->row(k) = fit.point().coefficients.transpose();
    });
  }
  *found *= std::sqrt(static_cast<double>(all_rows()));
  // A fit's w is right to some 1e-9 of its length, so its product with a gradient to that of both lengths.
  const Vector off = *found * labels_of(random_rows(), all_rows()) - gradients_ * fitted_;
  const bool right = (off.array().abs() <= 1e-8 * fitted_.norm() * sizes_.array()).all();
  return right ? std::move(found) : std::nullopt;
}

WeightedRows FitRefitter::weighted(const Choice& choice) const {
  check_at_least("fit_cav", "random rows", static_cast<Index>(choice.random.size()), 1);
  check_at_least("fit_cav", "concept rows", static_cast<Index>(choice.concept_rows.size()), 1);
  WeightedRows rows{Vector::Zero(all_rows()), Vector::Constant(all_rows(), -1)};
  for (const Index row : choice.random) rows.weights(row) += 1;
  for (const Index row : choice.concept_rows) {
    if (rows.labels(row) < 0 && rows.weights(row) > 0)
      fail_argument("FitRefitter", fmt::format("row {} is in both sets, must be in one", row));
    rows.weights(row) += 1;
    rows.labels(row) = 1;
  }
  return rows;
}

Matrix FitRefitter::refits(Index count, const std::function<Choice(Index)>& choose, int threads) const {
  return solve(
      count, [&](Index k) { return weighted(choose(k)); }, true, threads);
}

Matrix FitRefitter::relabelled_refits(Index count, const std::function<RowNumbers(Index)>& choose,
                                      int threads) const {
  const auto draw = [&](Index k) {
    WeightedRows rows{Vector::Ones(all_rows()), Vector::Constant(all_rows(), -1)};
    for (const Index row : choose(k)) rows.labels(row) = 1;
    return rows;
  };
  if (options_.method == stats::CavMethod::kRidge && gradients_.rows() < count) {
    if (const std::optional<Matrix> weights = of_labels(threads)) {
      Matrix result(count, weights->rows());
      const Vector sizes = sizes_ * fitted_.norm();
      parallel_for(count, threads, [&](Index k) {
        result.row(k) = without_rounding(*weights * draw(k).labels, sizes).transpose();
      });
      return result;
    }
  }
  return solve(count, draw, false, threads);
}

Vector FitRefitter::sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const {
  return refits(
             1,
             [&](Index) {
               return Choice{random, concept_rows};
             },
             1)
      .row(0)
      .transpose();
}

Vector FitRefitter::relabelled(const RowNumbers& concept_rows) const {
  return relabelled_refits(
             1, [&](Index) { return concept_rows; }, 1)
      .row(0)
      .transpose();
}

HeldOutScores FitRefitter::held_out_scores(Index folds, int threads) const {
  const auto fold_of = [&](Index row) { return (row < random_rows() ? row : row - random_rows()) % folds; };
  const Vector labels = labels_of(random_rows(), all_rows());
  const auto without = [&](Index fold) {
    WeightedRows rows{Vector::Ones(all_rows()), labels};
    for (Index row = 0; row < all_rows(); ++row) rows.weights(row) = fold_of(row) == fold ? 0 : 1;
    return rows;
  };
  Vector scores(all_rows());
  fits_.solve(folds, without, true, threads, [&](Index fold, const WeightedRows& rows, const NewtonFit& fit) {
    const Vector along = fit.converged() ? Vector(factor(rows) * fit.point().products)
                                         : Vector(features_ * solved_directly(rows));
    const auto mean = [&](double label) {
      const Vector chosen = (labels.array() == label).cast<double>() * rows.weights.array();
      return chosen.dot(along) / chosen.sum();
    };
    const double middle = (mean(-1) + mean(1)) / 2;
    for (Index row = 0; row < all_rows(); ++row) {
      if (fold_of(row) == fold) scores(row) = along(row) - middle;
    }
  });
  const auto set = [&](Index first, Index count) {
    SetScores part{scores.segment(first, count), {}};
    for (Index i = 0; i < count; ++i) part.folds.push_back(i % folds);
    return part;
  };
  return {set(0, random_rows()), set(random_rows(), concept_rows())};
}

}  // namespace atcav::span
