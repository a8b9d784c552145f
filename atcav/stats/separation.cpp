#include "atcav/stats/separation.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "atcav/base/check.h"

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

  std::vector<std::pair<double, bool>> scores;  // value, is it a concept row
  scores.reserve(static_cast<std::size_t>(random_scores.size() + concept_scores.size()));
  for (const double score : random_scores) scores.emplace_back(score, false);
  for (const double score : concept_scores) scores.emplace_back(score, true);
  std::sort(scores.begin(), scores.end());

  double wins = 0;
  double random_below = 0;
  for (std::size_t first = 0; first < scores.size();) {
    double random_tied = 0;
    double concept_tied = 0;
    std::size_t last = first;
    for (; last < scores.size() && scores[last].first == scores[first].first; ++last) {
      (scores[last].second ? concept_tied : random_tied) += 1;
    }
    wins += concept_tied * (random_below + random_tied / 2);
    random_below += random_tied;
    first = last;
  }
  return wins / (static_cast<double>(random_scores.size()) * static_cast<double>(concept_scores.size()));
}

}  // namespace atcav::stats
