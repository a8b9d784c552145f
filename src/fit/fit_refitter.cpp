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
                         bool in_steps)
    : Refitter(random, rows.count() - random),
      projections_(std::move(rows.projections)),
      lengths_(std::move(rows.lengths)),
      fits_(rows.by_products() ? SharedFits::Seen::kProducts : SharedFits::Seen::kRows,
            rows.by_products() ? std::move(rows.products) : rows.rows, labels_of(random, projections_.cols()),
            options, threads),
      full_(fit_of(fits_.full())),
      direction_(fits_.factor(fits_.full().rows) * fits_.full().at.coefficients),
      in_steps_(in_steps) {
  if (stats::is_mean_difference(options.method))
    fail_argument("FitRefitter", "the method is a difference of means, must be a fit");
  if (!rows.by_products()) direction_ = rows.rows.transpose() * direction_;
}

double FitRefitter::to_full_step(const Fit& fit) const {
  constexpr double kNothing = 1e-9;  // relative: where w = 0 is best, rounding is left of it
  const bool known = fit.length > kNothing * full_.length && fit.step > 0 && full_.step > 0;
  return in_steps_ && known ? fit.step / full_.step : 1;
}

FitRefitter::Fit FitRefitter::fit_of(const WeightedFit& solved) const {
  const stats::FitPoint& at = solved.at;
  const double length = std::sqrt(std::max(at.coefficients.dot(at.products), 0.0));
  const double scale = fits_.factor(solved.rows);
  const double unit = fits_.unit();
  Fit fit{scale * without_rounding(projections_ * at.coefficients, lengths_ * (unit * length)),
          scale * unit * unit * at.products, scale * unit * length};
  const auto mean = [&](double label) {
    const Vector chosen = (solved.rows.labels.array() == label).cast<double>() * solved.rows.weights.array();
    return chosen.dot(fit.scores) / chosen.sum();
  };
  if (fit.length > 0) fit.step = std::abs(mean(1) - mean(-1)) / (fit.length * fit.length);
  return fit;
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
    found.emplace_back(drawings[i].count, projections_.rows());
    for (Index k = 0; k < drawings[i].count; ++k) places.push_back({i, k});
  }
  const auto draw = [&](Index number) {
    const auto& [i, k] = places[static_cast<std::size_t>(number)];
    return weighted(drawings[i].choose(k));
  };
  const auto take = [&](Index number, const WeightedFit& solved) {
    const auto& [i, k] = places[static_cast<std::size_t>(number)];
    const Fit fit = fit_of(solved);
    found[i].row(k) = to_full_step(fit) * fit.sensitivities.transpose();
  };
  fits_.solve(std::ssize(places), draw, threads, take);
  return found;
}

Vector FitRefitter::sensitivities(const RowNumbers& random, const RowNumbers& concept_rows) const {
  const auto choose = [&](Index) { return Choice{random, concept_rows}; };
  return refits({1, choose}, 1).row(0).transpose();
}

// w = Xᵀγ up to a factor, and K γ comes with every fit.
Vector FitRefitter::pair_cosines(const Drawing& drawing, int threads) const {
  Matrix coefficients(drawing.count, all_rows());
  Matrix products(drawing.count, all_rows());
  fits_.solve(
      drawing.count, [&](Index k) { return weighted(drawing.choose(k)); }, threads,
      [&](Index k, const WeightedFit& fit) {
        coefficients.row(k) = fit.at.coefficients.transpose();
        products.row(k) = fit.at.products.transpose();
      });
  Vector cosines = Vector::Zero(drawing.count / 2);
  for (Index pair = 0; pair < cosines.size(); ++pair) {
    const Index a = 2 * pair;
    const Index b = a + 1;
    const double lengths =
        coefficients.row(a).dot(products.row(a)) * coefficients.row(b).dot(products.row(b));
    if (lengths > 0)
      cosines(pair) = std::clamp(coefficients.row(a).dot(products.row(b)) / std::sqrt(lengths), -1.0, 1.0);
  }
  return cosines;
}

Matrix FitRefitter::row_scores(const Drawing& drawing, int threads) const {
  Matrix scores(drawing.count, all_rows());
  fits_.solve(
      drawing.count, [&](Index k) { return weighted(drawing.choose(k)); }, threads,
      [&](Index k, const WeightedFit& fit) { scores.row(k) = fit_of(fit).scores.transpose(); });
  return scores;
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
      const Vector chosen = (labels.array() == label).cast<double>() * fit.rows.weights.array();
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
