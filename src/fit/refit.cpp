#include "fit/refit.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"

namespace atcav::fit {
namespace {

constexpr double kNoDifference = 1e-14;  // of a sensitivity against the largest number it is a difference of

Matrix collect_rows(Index count, int threads, const std::function<Vector(Index)>& body) {
  std::vector<Vector> rows(static_cast<std::size_t>(count));
  parallel_for(count, threads, [&](Index k) { rows[k] = body(k); });
  Matrix result(count, count == 0 ? 0 : rows[0].size());
  for (Index k = 0; k < count; ++k) result.row(k) = rows[k];
  return result;
}

}  // namespace

Vector without_rounding(Vector sensitivities, const Vector& sizes) {
  return (sensitivities.array().abs() <= kNoDifference * sizes.array()).select(0, sensitivities);
}

RowNumbers row_range(Index first, Index last) {
  RowNumbers rows(static_cast<std::size_t>(last - first));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

Vector Refitter::full() const {
  return sensitivities(row_range(0, random_rows()), row_range(random_rows(), all_rows()));
}

std::vector<Matrix> Refitter::refit_all(const std::vector<Drawing>& drawings, int threads) const {
  std::vector<Matrix> found;
  found.reserve(drawings.size());
  for (const Drawing& drawing : drawings) {
    found.push_back(collect_rows(drawing.count, threads, [&](Index k) {
      const Choice rows = drawing.choose(k);
      return sensitivities(rows.random, rows.concept_rows);
    }));
  }
  return found;
}

Matrix Refitter::refits(const Drawing& drawing, int threads) const {
  return std::move(refit_all({drawing}, threads).front());
}

MeanRefitter::MeanRefitter(const pass::Projections& random, const pass::Projections& concept_set, bool fast,
                           int threads)
    : MeanRefitter(random, concept_set, 0, random.inputs(), fast, threads) {}

MeanRefitter::MeanRefitter(const pass::Projections& random, const pass::Projections& concept_set, Index first,
                           Index count, bool fast, int threads)
    : Refitter(random.columns(), concept_set.columns()), fast_(fast) {
  check_same("MeanRefitter", "inputs", "random", random.inputs(), "concept", concept_set.inputs());
  values_ = Panels(count, all_rows());
  values_.set(0, random.values.middleRows(first, count), threads);
  values_.set(random_rows(), concept_set.values.middleRows(first, count), threads);
  weights_.resize(all_rows());
  weights_ << random.weights, concept_set.weights;
  sizes_.resize(values_.inputs());
  parallel_for(sizes_.size(), threads, [&](Index input) {
    sizes_(input) = std::max(random.values.row(first + input).lpNorm<Eigen::Infinity>(),
                             concept_set.values.row(first + input).lpNorm<Eigen::Infinity>());
  });
  const Sum of_random = sum_of(row_range(0, random_rows()));
  const Sum of_concept = sum_of(row_range(random_rows(), all_rows()));
  all_ = {of_random.weight + of_concept.weight, of_random.values + of_concept.values};
  full_ = difference(of_random, of_concept);
}

MeanRefitter::Sum MeanRefitter::sum_of(const RowNumbers& rows) const {
  return {weight_of(rows), chosen_sums({rows}, weights_, values_, 1).row(0).transpose()};
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

double MeanRefitter::weight_of(const RowNumbers& rows) const {
  double weight = 0;
  for (const Index row : rows) weight += weights_(row);
  return weight;
}

std::vector<Matrix> MeanRefitter::refit_all(const std::vector<Drawing>& drawings, int threads) const {
  std::vector<Matrix> found;
  found.reserve(drawings.size());
  for (const Drawing& drawing : drawings) found.push_back(chosen(drawing, threads));
  return found;
}

Matrix MeanRefitter::chosen(const Drawing& drawing, int threads) const {
  const Index count = drawing.count;
  // Weights of some refits at a time, in the same room: all of them may be more than memory holds.
  constexpr Index kWeights = Index{1} << 21;
  const Index step = std::max<Index>(kWeights / all_rows(), 8);
  Matrix result(count, values_.inputs());
  Matrix weights(std::min(step, count), all_rows());
  for (Index first = 0; first < count; first += step) {
    if (count - first < step) weights.resize(count - first, all_rows());
    parallel_for(weights.rows(), threads, [&](Index k) {
      weights.row(k).setZero();
      const Choice rows = drawing.choose(first + k);
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

Matrix MeanRefitter::relabelled(Index count, const std::function<RowNumbers(Index)>& concept_rows,
                                int threads) const {
  constexpr Index kNumbers = Index{4} << 20;
  const Index step = std::max<Index>(kNumbers / all_rows(), 8);
  Matrix result(count, values_.inputs());
  for (Index first = 0; first < count; first += step) {
    std::vector<RowNumbers> chosen(static_cast<std::size_t>(std::min(step, count - first)));
    const auto own = static_cast<Index>(chosen.size());
    parallel_for(own, threads,
                 [&](Index k) { chosen[static_cast<std::size_t>(k)] = concept_rows(first + k); });
    Matrix sums = chosen_sums(chosen, weights_, values_, threads);
    parallel_for(own, threads, [&](Index k) {
      // difference(), in place.
      const double weight = weight_of(chosen[static_cast<std::size_t>(k)]);
      const double rest = all_.weight - weight;
      check_positive("MeanRefitter", "weight of the random rows", rest);
      check_positive("MeanRefitter", "weight of the concept rows", weight);
      const double factor = scale(rest, weight);
      for (Index j = 0; j < sums.cols(); ++j) {
        const double moved = factor * (sums(k, j) / weight - (all_.values(j) - sums(k, j)) / rest);
        sums(k, j) = std::abs(moved) <= kNoDifference * sizes_(j) ? 0 : moved;
      }
    });
    if (own == count) return sums;
    result.middleRows(first, own) = sums;
  }
  return result;
}

}  // namespace atcav::fit
