#pragma once

#include <string>
#include <vector>

#include "atcav/effect.h"
#include "atcav/groups.h"
#include "atcav/matrix.h"
#include "stats/label_design.h"

// Labels of one pool of examples, each label's effect with the others held fixed. With Y the labels (N × q),
// Ỹ = [1, Y] and H = Ỹ(ỸᵀỸ)⁻¹, the direction of label k is β_k = Xᵀ H_k (least squares of activations on
// labels), so sensitivities are S = P H and nothing depends on d: P = Z Xᵀ, p̄ = z̄·x.
//
//   LabelDesign design = design_labels(labels, names, groups, threads);   // N × q, once for all classes
//   LabelResponses responses(of_inputs);                                  // m × N, once for a class
//   LabelResiduals residuals = label_residuals(design, of_inputs);
//   ReferenceRows reference(responses, rows, groups);                     // once for labels with these rows
//   LabelEffect k = label_effect(design, 0, responses, residuals, reference, groups);
//   Effect effect = measure_effect(k.sensitivities, k.errors, k.noise, k.spread, 0.95);
//
// The variance of S̄_k from the examples is HC2, Σ_i H_ik² e_i²/(1-ℓ_i) with e the residuals of p̄ and ℓ the
// leverages; of one 0/1 label this is var/n + var/n. Its degrees of freedom are Bell–McCaffrey's; where
// labels divide the rows into as many cells as there are coefficients (one 0/1 label, disjoint ones) each
// cell's variance is estimated by itself and they are Welch's. With groups the influences H_ik e_i/√(1-ℓ_i)
// are added up within a group before they are squared, times G/(G-1), with (Σ_g h_g)²/Σ_g h_g² - 1 degrees,
// h_g = Σ_{i in g} H_ik².
namespace atcav::stats {

// z_j·x_i around any centre.
struct LabelResponses {
  explicit LabelResponses(Matrix of_inputs);
  Matrix values;  // m × N
  Vector along;   // N: z̄·x_i
};

// What the labels leave of them.
struct LabelResiduals {
  explicit LabelResiduals(Matrix of_inputs);
  Matrix values;  // m × N
  Vector mean;    // N
};
LabelResiduals label_residuals(const LabelDesign& design, const MatrixRef& responses);

// Rows whose sd(z̄·x) is the unit of d, with moments of z̄·x over them as the error of d needs them.
struct ReferenceRows {
  ReferenceRows(const LabelResponses& responses, const std::vector<Index>& rows, const Groups& groups);
  std::vector<bool> chosen;  // N
  RandomSpread spread;       // without skewness, which is a label's
  double second = 0;         // mean square around the mean
  Vector bends;              // z² - 1 of a row, 0 of others; added up within groups
};

struct LabelEffect {
  Vector sensitivities;  // m: S_j
  Vector errors;         // m: of each, from the examples
  MeanNoise noise;       // of S̄
  RandomSpread spread;   // of z̄·x over the reference rows
};

LabelEffect label_effect(const LabelDesign& design, Index label, const LabelResponses& responses,
                         const LabelResiduals& residuals, const ReferenceRows& reference,
                         const Groups& groups);

// The variance that influences of rows add up to: sums within groups first, times G/(G-1).
double grouped_squares(const VectorRef& influences, const Groups& groups);

// m × m: noise of S from the examples, whose diagonal is the square of `errors`.
Matrix label_covariance(const LabelDesign& design, Index label, const LabelResiduals& residuals,
                        const Groups& groups);

// Responses of groups of inputs in place of inputs: S̄ stays the mean over inputs, and the variance over these
// G rows divided by G is G/(G-1) Σ_g (Σ_{j in g} (S_j - S̄)/m)².
Matrix grouped_inputs(const MatrixRef& responses, const Groups& groups);

}  // namespace atcav::stats
