#pragma once

#include "atcav/interval.h"
#include "atcav/matrix.h"
#include "atcav/theory.h"

// How well held-out rows of the two classes come apart along a CAV, counted and predicted side by side:
// the theory of theory.h on the scores' own means and variances, as in the paper's figure on real data.
//
//   Vector random = held_out_random * w;  Vector of_concept = held_out_concept * w;
//   Separation s = measure_separation(random, of_concept, threshold_from_the_training_rows);
//
// One row in a class, constant scores, or equal classes are fine: variances are then 0 and every field is
// still a number.
namespace atcav::stats {

struct Separation {
  NormalLaw random;  // fitted: mean, and variance with n - 1 (0 for one row)
  NormalLaw of_concept;
  Threshold best;                 // η* of the fitted normals
  double predicted_accuracy = 0;  // 1 - ε of the fitted normals at η*, at the class weights asked for
  double accuracy = 0;            // counted at `threshold`, same weights
  double auc = 0.5;
};

// Rows above `threshold` count as concept. It should come from rows other than these. concept_weight: ½ is
// balanced accuracy; n_concept / (n_random + n_concept) is the plain share of rows classified correctly.
Separation measure_separation(const VectorRef& random_scores, const VectorRef& concept_scores,
                              double threshold, double concept_weight = 0.5);

// Area under the ROC curve: the probability that a concept row scores above a random row, ties counted
// half (Mann–Whitney U with average ranks). 1 is perfect, ½ is chance, below ½ the CAV points away.
// No threshold, no normality, no class weights enter. At least one finite score in each; all scores equal
// gives ½. O(n log n).
double auc(const VectorRef& random_scores, const VectorRef& concept_scores);

// Its interval: DeLong, DeLong & Clarke-Pearson 1988, on the logit scale, so it stays inside [0, 1]. Where
// the classes do not overlap at all (DeLong's error is then 0) as for a share of n out of n, n the smaller
// class.
Interval auc_interval(const VectorRef& random_scores, const VectorRef& concept_scores, double level);

}  // namespace atcav::stats
