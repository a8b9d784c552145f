#pragma once

#include <vector>

#include "atcav/matrix.h"

// Scores of a class from its sensitivities S = Z w: one number per input, the change of the class's
// logit along the concept's direction.
namespace atcav::stats {

enum class Split {
  kRandom,  // the random rows are split, the concept's are used whole in every run (what every tool does)
  kBoth,    // both are split: the paper's N = s·n
};

// Share of inputs with S > 0 (Kim et al. 2018). An exact zero counts as not positive.
double tcav(const VectorRef& sensitivities);
// Share of inputs with S = 0.
double zero_share(const VectorRef& sensitivities);
// Mean sensitivity: what other tools call magnitude.
double magnitude(const VectorRef& sensitivities);
// α-TCAV: mean of s(α S/γ). Infinite α is TCAV with ½ for an exact zero.
double alpha_tcav(const VectorRef& sensitivities, double alpha, double gamma);

// Sensitivity profile: α-TCAV over a grid of α.
struct Profile {
  std::vector<double> alpha;  // 0.1 … 100, ten per decade, log-spaced
  std::vector<double> score;
};
Profile sensitivity_profile(const VectorRef& sensitivities);

// A smooth score as a function of all sensitivities, and its gradient: what refits recompute and what
// closed-form errors need.
//
//   T(S) = mean_j s(κ_j S_j / c(S)),   c(S) = γ, the spread sd(S), or 1
//
// α as a number: κ = α, c = γ. α† with σ̂_eff: κ = 1/√τ₁, c = sd(S), because γ and N cancel; α*(s) the
// same over √(s-1). With the analytic σ: κ_j = 1/(√τ₁ se_j), c = 1. TCAV itself: κ infinite.
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

// The score of input j, were the CAV drawn anew: s(Y), Y ~ N(κ_j S_j/c, (κ_j se_j/c)²), logit-normal with one
// peak or two (theory.h). The share of inputs with two: those whose score is yes or no rather than a
// number, as TCAV's always is. Every input that is not exact has two where the score is a step.
double bimodal_share(const VectorRef& sensitivities, const VectorRef& standard_errors, const ScoreRule& rule);

// How steep a sigmoid: the normalisation γ and the paper's two choices of α on the normalised scale.
//
//   γ      = √(mean S²) + 1e-8
//   σ̂_eff  = √(Var(S) · N), population variance over inputs, N = n₁ + n₂ examples behind the CAV
//   α*(s)  = (γ/σ̂_eff) √(n / (τ₁(1 - 1/s))), n = N/s: imitates Multi-TCAV with s runs
//   α†     = (γ/σ̂_eff) √(N/τ₁): posterior probability of the sign under a flat prior
//
// α†/α*(s) = √(s-1) exactly. N cancels in all of them, which is where the paper stops short: σ̂_eff is
// the spread over inputs, not the noise of the CAV (include/atcav/posterior.h has that noise).

// γ.
double root_mean_square(const VectorRef& sensitivities);
// sd over inputs, population variance. Equal sensitivities have one of rounding size: below 1e-14 of the
// largest sensitivity it is 0.
double spread(const VectorRef& sensitivities);
// σ̂_eff.
double sigma_effective(const VectorRef& sensitivities, Index examples);
// Infinite when σ is 0: all sensitivities equal, so only their sign can speak. Needs runs ≥ 2.
double alpha_star(double gamma, double sigma, Index examples, Index runs);
double alpha_dagger(double gamma, double sigma, Index examples);

}  // namespace atcav::stats
