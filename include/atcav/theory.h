#pragma once

#include "atcav/matrix.h"
#include "atcav/random.h"

// What theory predicts before anything is fitted, from the first two moments of the activations: how much a
// CAV varies, how often its classification errs (also for ridge in high dimension), and what its scores do.
// Class 1 are the random examples (label -1), class 2 the concept's (label +1).
namespace atcav::stats {

struct ClassLaw {
  Vector mean;        // μ_ℓ, d values
  Matrix covariance;  // Σ_ℓ, d × d, symmetric and without negative directions; zero: deterministic examples
};

// Both classes and how many examples of each a CAV is fitted on.
struct TwoClasses {
  ClassLaw random;      // μ₁, Σ₁
  ClassLaw of_concept;  // μ₂, Σ₂
  Index n_random = 0;   // n₁ ≥ 1
  Index n_concept = 0;  // n₂ ≥ 1
};

// Functions of these throw std::invalid_argument unless sizes agree, d ≥ 1, all values are finite and
// covariances symmetric (to 1e-9 of their largest entry) with no negative variance.

// The covariance of the paper's synthetic data, Σ_ij = ρ^|i-j|; d ≥ 1, -1 < ρ < 1.
Matrix toeplitz_covariance(Index d, double rho);

// Rows drawn from N(mean, Σ) in O(rows · d): along a row the values form a stationary autoregression of first
// order, x₀ = z₀, x_j = ρ x_(j-1) + √(1-ρ²) z_j, whose covariance is exactly Σ.
Matrix sample_toeplitz(const VectorRef& mean, double rho, Index rows, Stream& stream);

// How much a CAV varies from one draw of examples to the next (paper, Prop. "Distribution of w_fast and
// w_pat" and its corollaries). For pattern, w = mean(X₂) - mean(X₁):
//   E w = μ₂ - μ₁,   Cov w = Σ₁/n₁ + Σ₂/n₂,   variability Tr Cov w (paper, Def. "variance of a CAV").
// fast is pattern times c = n₁/(n₁+n₂): mean times c, covariance times c². As n₁ → ∞ both tend to
// μ₂ - μ₁ and Σ₂/n₂: more random examples cannot remove the concept's own noise.
// Exact for any distribution with these moments. For ridge see ridge_equivalent below.
//
//   CavLaw law = pattern_law(classes);
//   double relative = std::sqrt(total_variance(law)) / law.mean.norm();
struct CavLaw {
  Vector mean;        // E w
  Matrix covariance;  // Cov w
};

CavLaw pattern_law(const TwoClasses& classes);
CavLaw fast_law(const TwoClasses& classes);
// n₁ → ∞ at fixed n₂, the same for pattern and fast; n_random is not used.
CavLaw many_random_law(const TwoClasses& classes);

// The logistic CAV when there are far more random examples than the concept's (Owen 2007; Wenkmann and
// Garreau 2025), with w penalised as in cav.h: only the concept's mean x̄ matters, and w tilts the random law
// until its mean is x̄, but for the penalty. For normal random examples
//   w = (Σ₁ + I/(C n₂))⁻¹ (x̄ - μ₁) = G⁻¹(x̄ - μ₁),   C = ∞: Σ₁⁻¹(x̄ - μ₁), Fisher's direction,
//   Cov w = e^q G⁻¹(Σ₁ + Σ₁wwᵀΣ₁)G⁻¹/n₁ from the random examples, q = wᵀΣ₁w,
//         + G⁻¹Σ₂G⁻¹/n₂ from the concept's, where they are drawn as well (Σ₂ = 0: they are held).
// An asymptote: n₁ must be large against n₂ e^q, and against e^q too, since n₁ examples weigh as much as n₁
// e^-q.
struct ImbalancedLogistic {
  Vector mean;
  Matrix from_random;  // covariances
  Matrix from_concept;
  double tilt = 0;  // q
};
// cost = C > 0, infinite: no penalty, which needs an invertible Σ₁.
ImbalancedLogistic imbalanced_logistic(const TwoClasses& classes, double cost);

// Tr Cov w.
double total_variance(const CavLaw& law);

// Popoviciu: a variable within [low, high] has variance at most (high - low)²/4; so every score has at
// most ¼, reached by the indicator at μ = 0.
double popoviciu_bound(double low, double high);

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
// at the class weights asked for. For ridge see predict_ridge_error.
struct ErrorPrediction {
  NormalLaw random;  // of g(x) = wᵀx/√n, over CAVs and new rows
  NormalLaw of_concept;
  Threshold threshold;  // η*
  double error = 0;     // ε at η*
};
ErrorPrediction predict_error(const NormalLaw& random, const NormalLaw& of_concept,
                              double concept_weight = 0.5);
ErrorPrediction predict_error(const TwoClasses& classes, const CavLaw& cav, double concept_weight = 0.5);

// The ridge CAV w = (XᵀX/n + λI)⁻¹ Xᵀy/√n when dimension and sample size are both large (paper, Theorem
// "deterministic equivalents"). With C_ℓ = Σ_ℓ + μ_ℓμ_ℓᵀ the random resolvent (XᵀX/n + λI)⁻¹ acts like
//   Q̄ = (Σ_ℓ (n_ℓ/n) C_ℓ/(1+δ_ℓ) + λI)⁻¹,   δ_ℓ = Tr(C_ℓ Q̄)/n,
// solved by iterating from δ = 0. That is the paper's form. Centred, as ridge is elsewhere (cav.h), both
// classes are seen from (Σ_ℓ g_ℓ μ_ℓ)/Σ_ℓ g_ℓ, g_ℓ = n_ℓ/(1+δ_ℓ), and the same mean is taken off the labels.
// From Q̄ and δ follow the mean w̄, E wᵀBw for any B, and so the variability Tr Cov(w) and the law of the
// classification score.
//
//   RidgeEquivalent ridge = ridge_equivalent(classes, 1.0);
//   double variability = ridge_total_variance(classes, ridge);
//   NormalLaw g = ridge_score_law(classes, ridge, classes.of_concept).total;
//
// Approximate with an error that falls as d and n grow together: within 3 % of Monte Carlo from d = 50,
// n = 300 on (ridge_equivalent_test.cpp). Derived for n > d and both classes a fixed share of n. Time is
// O(d³) per iteration.

struct RidgeOptions {
  bool centred = true;  // false: the paper's form
  int max_iterations = 1000;
  double tolerance = 1e-12;  // on the change of δ_ℓ, relative to 1 + δ_ℓ
};

struct RidgeEquivalent {
  Matrix resolvent;          // Q̄
  double delta_random = 0;   // δ₁
  double delta_concept = 0;  // δ₂
  Vector mean;               // w̄
  Vector centre;             // what was taken off X; 0 unless centred
  double label_random = -1;  // y of each class, centred too
  double label_concept = 1;
  bool converged = false;
  int iterations = 0;
  double residual = 0;  // the last change, to compare with the tolerance
};

// λ > 0. Not converged is a field of the result, not an error.
RidgeEquivalent ridge_equivalent(const TwoClasses& classes, double lambda, const RidgeOptions& options = {});

// E Tr(B w wᵀ) = E wᵀBw for a d × d matrix B; `ridge` is the equivalent of the same classes.
double ridge_second_moment(const TwoClasses& classes, const RidgeEquivalent& ridge, const MatrixRef& b);

// Tr Cov(w) = E wᵀw - w̄ᵀw̄.
double ridge_total_variance(const TwoClasses& classes, const RidgeEquivalent& ridge);

// Law of g(x) = wᵀ(x - centre)/√n for a new x of `data`: score_law with the moments of ridge.
ScoreLaw ridge_score_law(const TwoClasses& classes, const RidgeEquivalent& ridge, const ClassLaw& data);

// As predict_error, with the moments of ridge.
ErrorPrediction predict_ridge_error(const TwoClasses& classes, const RidgeEquivalent& ridge,
                                    double concept_weight = 0.5);

// What a score does when the CAV is drawn anew. The model (paper, Sec. "Distribution of TCAV Scores"):
// one input's sensitivity under a CAV from N examples is S ~ N(μ, σ²/N). Then
//   TCAV        1{S > 0}                        Bernoulli     p = Φ(√N μ/σ)
//   Multi-TCAV  mean of s runs, N/s each        binomial / s  p = Φ(√n μ/σ),  n = N/s
//   α-TCAV      s(αS) = 1 / (1 + e^(-αS))       logit-normal  location αμ, scale ασ/√N
// The first two moments are closed and exact; the last come approximate (the paper's formulas) and exact
// (quadrature).
//
//   ScoreModel model{.mu = 0.1, .sigma = 1, .samples = 1000};
//   Moments multi = multi_tcav_moments(model, 10);
//   Moments smooth = alpha_tcav_moments(model, model_alpha_star(model, 10));
struct Moments {
  double mean = 0;
  double variance = 0;
};

struct ScoreModel {
  double mu = 0;       // μ, the sensitivity under the population's CAV
  double sigma = 1;    // σ > 0, noise of one example
  double samples = 1;  // N > 0, the whole budget; need not be a multiple of the runs
};

Moments tcav_moments(const ScoreModel& model);
// runs = s ≥ 1; s = 1 is TCAV.
Moments multi_tcav_moments(const ScoreModel& model, Index runs);
// α ≥ 0; α = 0 is ½ always, α → ∞ is TCAV.
Moments alpha_tcav_moments(const ScoreModel& model, double alpha);
Moments alpha_tcav_moments_approximate(const ScoreModel& model, double alpha);

// α* = (1/σ)√(N / (τ₁(s - 1))): α-TCAV with the mean of Multi-TCAV of s ≥ 2 runs.
double model_alpha_star(const ScoreModel& model, Index runs);
// α† = (1/σ)√(N / τ₁): α-TCAV as the posterior probability of μ > 0 under a flat prior.
double model_alpha_dagger(const ScoreModel& model);
// Both are on the raw scale of S; score.h has their data-driven form on the normalised one.

// Peaks of the density of α-TCAV, 1 or 2: with two it is Bernoulli-like, as TCAV is, with one binomial-like,
// as Multi-TCAV is (paper, Figure "uni-modal, bi-modal"). In u = √N μ/σ there are two where α >
// bimodal_alpha,
//   bimodal_alpha = v √N/σ,   v the solution of v² t - 2 artanh t = v|u|, t = √(1 - 2/v²); √2 at u = 0.
// So α† (v = 1.60) has two only for |u| < 0.11, and α* of three runs or more never.
int alpha_tcav_peaks(const ScoreModel& model, double alpha);
double bimodal_alpha(const ScoreModel& model);

// How much variance α*-TCAV saves against the Multi-TCAV of s runs that it imitates:
//   r = Var(α*-TCAV on N examples) / Var(Multi-TCAV, s runs of n = N/s examples).
//
// The paper's approximation depends on s alone:
//   r(s) = s (1 - 1/√(1 + (τ₂/τ₁)/(s - 1))),   r(2) = 0.5535, r(10) = 0.4710, r(∞) = τ₂/(2τ₁) = 0.4558.
// Exactly (quadrature) it depends on the signal of one run, u = √n μ/σ, as well: at u = 0 it is 0.6281
// (s = 2), 0.6234 (10), 0.6333 (50) with limit 2/π, and it falls below r(s) as |u| grows. runs = s ≥ 2.
double variance_ratio(Index runs, double run_signal = 0);
double variance_ratio_approximate(Index runs);

// s → ∞ with the signal of one run held: s'(u/√τ₁)² / (τ₁ Φ(u) Φ(-u)), which is 2/π at u = 0.
double variance_ratio_limit(double run_signal = 0);
double variance_ratio_approximate_limit();

}  // namespace atcav::stats
