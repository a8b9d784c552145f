#pragma once

#include "atcav/interval.h"
#include "atcav/matrix.h"
#include "atcav/variability.h"

// Is the concept encoded? How often the linear rule "g(x) = wᵀx/√n above η means concept" errs, predicted
// from the moments of the data and of the CAV (paper, Sec. "Classification Accuracy").
//
//   double error = predict_error(classes, pattern_law(classes)).error;
//
// and step by step
//
//   CavLaw cav = pattern_law(classes);
//   NormalLaw random = score_law(classes.random, cav, n).total;
//   NormalLaw of_concept = score_law(classes.of_concept, cav, n).total;
//   double eta = optimal_threshold(random, of_concept).value;
//   double error = classification_error(random, of_concept, eta);
//
// Approximate in one thing: g is taken to be normal, which it nearly is when d is large. Scaling w by a
// positive factor changes no error; a negative one turns the rule round (error 1 - ε), which the paper's
// "any α ≠ 0" overlooks.
namespace atcav::stats {

struct NormalLaw {
  double mean = 0;
  double variance = 0;  // ≥ 0; zero is a point mass
};

// Law of g(x) = wᵀx/√n for a new x of one class, independent of w (paper, Prop. "mean_and_variance"):
//   mean    w̄ᵀx̄ / √n
//   within  E_w Var_x g = [Tr(Σ_w Σ_x) + w̄ᵀΣ_x w̄] / n                what one fitted CAV shows on average
//   total   Var g = within + x̄ᵀΣ_w x̄ / n                             over CAVs as well
struct ScoreLaw {
  NormalLaw total;
  double within_variance = 0;
};
ScoreLaw score_law(const ClassLaw& data, const CavLaw& cav, Index n);

// η*: the threshold with the least error at these class weights. At equal ones that is the density
// intersection between the means, if there is one; close means with unequal variances have both intersections
// outside (the paper's Lemma, part ii, says otherwise), and then it is the one that minimises the error.
//   equal variances   midpoint of the means
//   equal means       one of the two intersections; the error stays close to ½
//   the same law      the mean; the error is ½ for every threshold
//   point masses      beside the point, so that the point itself is classified correctly
//   concept below     reversed = true: η* of the rule turned round, which is what to look at; the rule as
//                     written then errs in more than half of all cases
// At other weights it is where c₁f₁ = c₂f₂, or ±infinity where calling everything the heavier class errs
// least.
struct Threshold {
  double value = 0;
  bool reversed = false;
};
Threshold optimal_threshold(const NormalLaw& random, const NormalLaw& of_concept,
                            double concept_weight = 0.5);

// ε = c₁ P(g > η | random) + c₂ P(g ≤ η | concept), c₂ = concept_weight in [0, 1], c₁ = 1 - c₂.
double classification_error(const NormalLaw& random, const NormalLaw& of_concept, double threshold,
                            double concept_weight = 0.5);

// The error of a CAV before any is fitted (paper, Figure "class_acc_syn_data"): η* and the error there, both
// at the class weights asked for. For ridge see ridge_equivalent.h.
struct ErrorPrediction {
  NormalLaw random;  // of g(x) = wᵀx/√n, over CAVs and new rows
  NormalLaw of_concept;
  Threshold threshold;  // η*
  double error = 0;     // ε at η*
};
ErrorPrediction predict_error(const NormalLaw& random, const NormalLaw& of_concept,
                              double concept_weight = 0.5);
ErrorPrediction predict_error(const TwoClasses& classes, const CavLaw& cav, double concept_weight = 0.5);

// How well held-out rows of the two classes come apart along a CAV, counted and predicted side by side:
// the theory of accuracy.h on the scores' own means and variances, as in the paper's figure on real data.
//
//   Vector random = held_out_random * w;  Vector of_concept = held_out_concept * w;
//   Separation s = measure_separation(random, of_concept, threshold_from_the_training_rows);
//
// One row in a class, constant scores, or equal classes are fine: variances are then 0 and every field is
// still a number.

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
