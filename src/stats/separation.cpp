#include <algorithm>
#include <cmath>
#include <vector>

#include "atcav/accuracy.h"
#include "core/check.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

NormalLaw fit_normal(const VectorRef& scores) {
  const double mean = scores.mean();
  if (scores.size() < 2) return {mean, 0};
  return {mean, (scores.array() - mean).square().sum() / static_cast<double>(scores.size() - 1)};
}

double share_above(const VectorRef& scores, double threshold) {
  return static_cast<double>((scores.array() > threshold).count()) / static_cast<double>(scores.size());
}

// For each of `own` the share of `others` below it, ties counted half.
Vector shares_below(const VectorRef& others, const VectorRef& own) {
  std::vector<double> sorted(others.begin(), others.end());
  std::sort(sorted.begin(), sorted.end());
  return own.unaryExpr([&sorted](double score) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), score);
    const auto below = static_cast<double>(first - sorted.begin()) + static_cast<double>(last - first) / 2;
    return below / static_cast<double>(sorted.size());
  });
}

}  // namespace

Separation measure_separation(const VectorRef& random_scores, const VectorRef& concept_scores,
                              double threshold, double concept_weight) {
  check_finite("measure_separation", "threshold", threshold);
  Separation result;
  result.auc = auc(random_scores, concept_scores);
  result.random = fit_normal(random_scores);
  result.of_concept = fit_normal(concept_scores);
  result.best = optimal_threshold(result.random, result.of_concept);
  result.predicted_accuracy =
      1 - classification_error(result.random, result.of_concept, result.best.value, concept_weight);
  result.accuracy = (1 - concept_weight) * (1 - share_above(random_scores, threshold)) +
                    concept_weight * share_above(concept_scores, threshold);
  return result;
}

double auc(const VectorRef& random_scores, const VectorRef& concept_scores) {
  check_at_least("auc", "number of random scores", random_scores.size(), 1);
  check_at_least("auc", "number of concept scores", concept_scores.size(), 1);
  check_finite("auc", "random_scores", Matrix(random_scores));
  check_finite("auc", "concept_scores", Matrix(concept_scores));

  const Vector shares = shares_below(random_scores, concept_scores);
  return shares.mean();
}

Interval auc_interval(const VectorRef& random_scores, const VectorRef& concept_scores, double level) {
  const double area = auc(random_scores, concept_scores);
  const Vector of_concept = shares_below(random_scores, concept_scores);
  const Vector random = shares_below(concept_scores, random_scores);
  const double error = std::hypot(mean_error(of_concept), mean_error(random));
  const auto smaller = static_cast<double>(std::min(random_scores.size(), concept_scores.size()));
  if (error == 0 || area <= 0 || area >= 1) return share_interval(area * smaller, smaller, level);
  const double reach = normal_quantile((1 + level) / 2) * error / (area * (1 - area));
  const double logit = std::log(area / (1 - area));
  return {1 / (1 + std::exp(reach - logit)), 1 / (1 + std::exp(-reach - logit))};
}

}  // namespace atcav::stats
