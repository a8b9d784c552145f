#pragma once

#include <string>
#include <vector>

#include "atcav/effect.h"
#include "atcav/groups.h"
#include "atcav/matrix.h"

// Labels of one pool of examples, each label's effect with the others held fixed. With Y the labels (N × q),
// Ỹ = [1, Y] and H = Ỹ(ỸᵀỸ)⁻¹, the direction of label k is β_k = Xᵀ H_k (least squares of activations on
// labels), so sensitivities are S = P H and nothing depends on d: P = Z Xᵀ, p̄ = z̄·x.
//
//   LabelDesign design = design_labels(labels, names, groups, threads);   // N × q, once for all classes
//   Matrix residuals = label_residuals(design, responses);                // m × N, once for a class
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

struct LabelDesign {
  Matrix basis;              // q × N: orthonormal rows that span the centred labels
  Matrix weights;            // q × N: row k is H_k
  Vector leverages;          // N
  Vector inflation;          // q: 1/(1-R²) of a label on the others
  Vector degrees;            // q, without groups and cells
  std::vector<Index> cells;  // of each row, where there are as many cells as coefficients; else empty
  Index cell_count = 0;
  // Of each label, whether one row decides it: that row has no residual, and nothing tells its noise.
  std::vector<bool> decided_by_one;
};

// Numbers only, at least two rows. std::invalid_argument for a constant label and for labels that others
// determine, with their names.
LabelDesign design_labels(const MatrixRef& labels, const std::vector<std::string>& names,
                          const Groups& groups, int threads);

// responses: m × N, z_j·x_i around any centre. What the labels leave of them.
Matrix label_residuals(const LabelDesign& design, const MatrixRef& responses);

struct LabelEffect {
  Vector sensitivities;  // m: S_j
  Vector errors;         // m: of each, from the examples
  MeanNoise noise;       // of S̄
  RandomSpread spread;   // of z̄·x over the reference rows
};

// reference: rows whose sd(z̄·x) is the unit of d.
LabelEffect label_effect(const LabelDesign& design, Index label, const MatrixRef& responses,
                         const MatrixRef& residuals, const std::vector<Index>& reference,
                         const Groups& groups);

// H_ik/√(1-ℓ_i): times a residual it is a row's influence on the label's effect.
Vector influence_weights(const LabelDesign& design, Index label);

// The variance that influences of rows add up to: sums within groups first, times G/(G-1).
double grouped_squares(const VectorRef& influences, const Groups& groups);

// m × m: noise of S from the examples, whose diagonal is the square of `errors`.
Matrix label_covariance(const LabelDesign& design, Index label, const MatrixRef& residuals,
                        const Groups& groups);

// Responses of groups of inputs in place of inputs: S̄ stays the mean over inputs, and the variance over these
// G rows divided by G is G/(G-1) Σ_g (Σ_{j in g} (S_j - S̄)/m)².
Matrix grouped_inputs(const MatrixRef& responses, const Groups& groups);

}  // namespace atcav::stats
