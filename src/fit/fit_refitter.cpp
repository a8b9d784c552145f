#include "fit/fit_refitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"

namespace atcav::fit {
namespace {

Vector labels_of(Index random, Index all) {
  Vector labels = Vector::Ones(all);
  labels.head(random).setConstant(-1);
  return labels;
}

}  // namespace

FitRefitter::FitRefitter(FitRows rows, Index random, const stats::CavOptions& options, int threads,
                         bool equal_lengths)
    : Refitter(random, rows.count() - random),
      options_(options),
      rows_(std::move(rows)),
      fits_(rows_, labels_of(random, rows_.count()), options, threads),
      equal_lengths_(equal_lengths) {
  if (stats::is_mean_difference(options.method))
    fail_argument("FitRefitter", "the method is a difference of means, must be a fit");
  const bool by_products = rows_.by_products();
  if (!by_products) {
    std::call_once(reduced_, [&] { small_ = {std::move(rows_.rows), std::move(rows_.gradients), {}}; });
  }
  const WeightedFit& solved = fits_.full();
  if (solved.converged()) {
    full_ = fit_of(solved);
    direction_ = factor(solved.rows()) * solved.point().coefficients;
    if (!by_products) direction_ = small_.features.transpose() * direction_;
  } else {
    direction_ = solved_directly(solved.rows());
    full_ = fit_along(direction_);
    if (by_products) direction_ = as_combination(small(), direction_);
    // Centred rows as they are: their mean goes back.
    if (by_products && options_.has_intercept()) direction_.array() -= direction_.mean();
  }
}

double FitRefitter::factor(const WeightedRows& rows) const {
  return options_.method == stats::CavMethod::kRidge ? fits_.factor() * std::sqrt(rows.weights.sum())
                                                     : fits_.factor();
}

double FitRefitter::to_full_length(double length) const {
  constexpr double kNothing = 1e-9;  // relative: where w = 0 is best, rounding is left of it
  return equal_lengths_ && length > kNothing * full_.length ? full_.length / length : 1;
}

double FitRefitter::step() const {
  if (full_.length == 0) return 0;
  const double way = full_.scores.tail(concept_rows()).mean() - full_.scores.head(random_rows()).mean();
  return std::abs(way) / (full_.length * full_.length);
}

FitRefitter::Fit FitRefitter::fit_of(const WeightedFit& solved) const {
  if (!solved.converged()) return fit_along(solved_directly(solved.rows()));
  const FitPoint& at = solved.point();
  const double length = std::sqrt(std::max(at.coefficients.dot(at.products), 0.0));
  const double scale = factor(solved.rows());
  const double unit = fits_.unit();
  return {scale * without_rounding(rows_.projections * at.coefficients, rows_.lengths * (unit * length)),
          scale * unit * unit * at.products, scale * unit * length};
}

const Reduction& FitRefitter::small() const {
  std::call_once(reduced_, [&] {
    Matrix projections = rows_.projections;
    if (options_.has_intercept()) projections.colwise() -= projections.rowwise().mean().eval();
    small_ = reduce(fits_.products() * std::pow(fits_.unit(), 2), projections);
  });
  return small_;
}

FitRefitter::Fit FitRefitter::fit_along(const Vector& direction) const {
  const double length = direction.norm();
  return {without_rounding(small().gradients * direction, rows_.lengths * length),
          small().features * direction, length};
}

// In the coordinates of small().
Vector FitRefitter::solved_directly(const WeightedRows& rows) const {
  Choice chosen;
  for (Index i = 0; i < all_rows(); ++i) {
    RowNumbers& set = rows.labels(i) > 0 ? chosen.concept_rows : chosen.random;
    set.insert(set.end(), static_cast<std::size_t>(rows.weights(i)), i);
  }
  const Matrix& features = small().features;
  return stats::fit_cav(features(chosen.random, Eigen::all), features(chosen.concept_rows, Eigen::all),
                        options_)
      .direction;
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

// All fits together, so that products stay wide until the last ones end.
std::vector<Matrix> FitRefitter::refit_all(const std::vector<Drawing>& drawings, int threads) const {
  std::vector<Matrix> found;
  struct Place {
    std::size_t drawing;
    Index k;
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    found.emplace_back(drawings[i].count, rows_.projections.rows());
    for (Index k = 0; k < drawings[i].count; ++k) places.push_back({i, k});
  }
  const auto draw = [&](Index number) {
    const auto& [i, k] = places[static_cast<std::size_t>(number)];
    return weighted(drawings[i].choose(k));
  };
  const auto take = [&](Index number, const WeightedFit& solved) {
    const auto& [i, k] = places[static_cast<std::size_t>(number)];
    const Fit fit = fit_of(solved);
    found[i].row(k) = to_full_length(fit.length) * fit.sensitivities.transpose();
  };
  fits_.solve(std::ssize(places), draw, threads, take);
  return found;
}

Vector FitRefitter::sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const {
  const auto choose = [&](Index) { return Choice{random, concept_rows}; };
  return refits({1, choose}, 1).row(0).transpose();
}

pass::HeldOutScores FitRefitter::held_out_scores(Index folds, int threads) const {
  const auto fold_of = [&](Index row) { return (row < random_rows() ? row : row - random_rows()) % folds; };
  const Vector labels = labels_of(random_rows(), all_rows());
  const auto without = [&](Index fold) {
    WeightedRows kept{Vector::Ones(all_rows()), labels};
    for (Index row = 0; row < all_rows(); ++row) kept.weights(row) = fold_of(row) == fold ? 0 : 1;
    return kept;
  };
  Vector scores(all_rows());
  fits_.solve(folds, without, threads, [&](Index fold, const WeightedFit& fit) {
    const Vector along = fit_of(fit).scores;
    const auto mean = [&](double label) {
      const Vector chosen = (labels.array() == label).cast<double>() * fit.rows().weights.array();
      return chosen.dot(along) / chosen.sum();
    };
    const double middle = (mean(-1) + mean(1)) / 2;
    for (Index row = 0; row < all_rows(); ++row) {
      if (fold_of(row) == fold) scores(row) = along(row) - middle;
    }
  });
  const auto set = [&](Index first, Index count) {
    pass::SetScores part{scores.segment(first, count), {}};
    for (Index i = 0; i < count; ++i) part.folds.push_back(i % folds);
    return part;
  };
  return {set(0, random_rows()), set(random_rows(), concept_rows())};
}

}  // namespace atcav::fit
