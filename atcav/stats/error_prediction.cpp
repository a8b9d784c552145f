#include "atcav/stats/error_prediction.h"

namespace atcav::stats {
namespace {

ErrorPrediction at_best_threshold(const NormalLaw& random, const NormalLaw& of_concept,
                                  double concept_weight) {
  const Threshold threshold = optimal_threshold(random, of_concept);
  return {random, of_concept, threshold,
          classification_error(random, of_concept, threshold.value, concept_weight)};
}

}  // namespace

ErrorPrediction predict_error(const TwoClasses& classes, const CavLaw& cav, double concept_weight) {
  const Index n = classes.n_random + classes.n_concept;
  return at_best_threshold(score_law(classes.random, cav, n).total,
                           score_law(classes.of_concept, cav, n).total, concept_weight);
}

ErrorPrediction predict_ridge_error(const TwoClasses& classes, const RidgeEquivalent& ridge,
                                    double concept_weight) {
  return at_best_threshold(ridge_score_law(classes, ridge, classes.random).total,
                           ridge_score_law(classes, ridge, classes.of_concept).total, concept_weight);
}

}  // namespace atcav::stats
