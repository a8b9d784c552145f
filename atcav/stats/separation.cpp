#include "atcav/stats/separation.h"

#include "atcav/base/check.h"
#include "atcav/stats/auc.h"

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

}  // namespace atcav::stats
