#pragma once

#include <vector>

#include "atcav/matrix.h"

// How probable is it that the concept pushes an input's logit up? From the sensitivity S_j and its own
// noise se_j, which for a difference of means is known in closed form,
//   se_j² = Var(z_j·x, random)/n₁ + Var(z_j·x, concept)/n₂.
namespace atcav::stats {

// p_j = Φ(S_j/se_j): a flat prior on the true sensitivity. se_j = 0 leaves only the sign (½ at zero).
Vector flat_posterior(const VectorRef& sensitivities, const VectorRef& standard_errors);

// Ours: the inputs' true sensitivities are draws from N(0, τ²), and τ² is read off the data,
//   τ² = max(0, mean(S_j² - se_j²)),  p_j = Φ((S_j/se_j) √(τ²/(τ² + se_j²))).
// τ² = 0 gives ½ everywhere: no evidence that the concept matters. Calibrated where the flat prior is
// overconfident (docs/theory/posterior.md).
struct EmpiricalBayes {
  double tau_squared = 0;
  Vector probability;
};
EmpiricalBayes empirical_bayes(const VectorRef& sensitivities, const VectorRef& standard_errors);

// Ours, with what the inputs share: all S_j come from one CAV, so their errors are correlated, and inputs
// whose gradients agree have sensitivities that agree. In units of the standard errors,
//   S ~ N(θ, R),  θ ~ N(0, τ² A),   R the noise correlation (2 % towards the identity), A = ZZᵀ with trace m,
// τ² on 25 values from 10^-2.5 to 10^3.5, weighted by how probable they make S; p_j = P(θ_j > 0).
// `covariance`: m × m noise covariance of S; `gram`: m × m inner products of the gradients. Inputs whose S_j
// has no noise keep their sign; without gradients p is ½. m³ operations: many inputs are better taken in
// groups. Simulated calibration: docs/theory/posterior.md.
Vector shared_posterior(const VectorRef& sensitivities, const MatrixRef& covariance, const MatrixRef& gram);

// Are probabilities honest? Among all statements made with probability about p, a share p should be true.
struct ReliabilityBin {
  double mean_probability = 0;
  double share_true = 0;
  Index count = 0;
};

struct Reliability {
  std::vector<ReliabilityBin> bins;       // equal widths on [0, 1]; empty bins have count 0
  double expected_calibration_error = 0;  // Σ (count/total) |mean_probability - share_true|
  // Mean of (probability - outcome)²: what is lost under squared loss. A statement that is always ½ is
  // calibrated where half are true, and has ¼.
  double brier = 0;
};

// `outcomes` are 0 or 1, one per probability.
Reliability reliability(const VectorRef& probabilities, const VectorRef& outcomes, int bins = 15);

}  // namespace atcav::stats
