#pragma once

#include "atcav/stats/accuracy.h"
#include "atcav/stats/ridge_equivalent.h"

// From the moments of the data to the classification error of a CAV before any is fitted: the score's law
// on either class, η*, and the error there (paper, Figure "class_acc_syn_data").
//
//   ErrorPrediction pattern = predict_error(classes, pattern_law(classes));
//   ErrorPrediction ridge = predict_ridge_error(classes, ridge_equivalent(classes, 1.0));
namespace atcav::stats {

struct ErrorPrediction {
  NormalLaw random;  // of g(x) = wᵀx/√n, over CAVs and new rows
  NormalLaw of_concept;
  Threshold threshold;  // η*
  double error = 0;     // ε at η*, at the class weights asked for
};

ErrorPrediction predict_error(const TwoClasses& classes, const CavLaw& cav, double concept_weight = 0.5);
ErrorPrediction predict_ridge_error(const TwoClasses& classes, const RidgeEquivalent& ridge,
                                    double concept_weight = 0.5);

}  // namespace atcav::stats
