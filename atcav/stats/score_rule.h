#pragma once

#include "atcav/base/matrix.h"

// A smooth score as a function of all sensitivities, and its gradient: what refits recompute and what
// closed-form errors need.
//
//   T(S) = mean_j s(κ_j S_j / c(S)),   c(S) = γ, the spread sd(S), or 1
//
// α as a number: κ = α, c = γ. α† with σ̂_eff: κ = 1/√τ₁, c = sd(S), because γ and N cancel; α*(s) the
// same over √(s-1). With the analytic σ: κ_j = 1/(√τ₁ se_j), c = 1. TCAV itself: κ infinite.
namespace atcav::stats {

struct ScoreRule {
  enum class Scale { kGamma, kSpread, kOne };
  Scale scale = Scale::kGamma;
  double steepness = 1;  // κ; infinite for TCAV (then an exact zero counts 0, as in tcav())
  Vector per_input;      // κ_j instead, if not empty
};

ScoreRule indicator_rule();
ScoreRule alpha_rule(double alpha);
// α† with the paper's σ̂_eff, or α*(s) with shrink = √(s-1).
ScoreRule effective_rule(double shrink = 1);
// The same with each input's own noise. A zero error leaves only that input's sign.
ScoreRule analytic_rule(const VectorRef& standard_errors, double shrink = 1);

// Inputs in, number out. When c(S) is 0 the sign alone speaks (½ at zero).
double score(const VectorRef& sensitivities, const ScoreRule& rule);
// f_j = s(κ_j S_j / c): the score is their mean.
Vector score_terms(const VectorRef& sensitivities, const ScoreRule& rule);
// v_j = ∂T/∂S_j, the noise of c(S) included. Zero where the score is a step.
Vector score_gradient(const VectorRef& sensitivities, const ScoreRule& rule);

}  // namespace atcav::stats
