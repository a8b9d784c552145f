#pragma once

#include "atcav/matrix.h"

// What a score does when the CAV is drawn anew. The model (paper, Sec. "Distribution of TCAV Scores"):
// one input's sensitivity under a CAV from N examples is S ~ N(μ, σ²/N). Then
//   TCAV        1{S > 0}                        Bernoulli     p = Φ(√N μ/σ)
//   Multi-TCAV  mean of s runs, N/s each        binomial / s  p = Φ(√n μ/σ),  n = N/s
//   α-TCAV      s(αS) = 1 / (1 + e^(-αS))       logit-normal  location αμ, scale ασ/√N
// The first two moments are closed and exact; the last come approximate (the paper's formulas) and exact
// (quadrature, see logit_normal.h).
//
//   ScoreModel model{.mu = 0.1, .sigma = 1, .samples = 1000};
//   Moments multi = multi_tcav_moments(model, 10);
//   Moments smooth = alpha_tcav_moments(model, model_alpha_star(model, 10));
namespace atcav::stats {

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
// Both are on the raw scale of S; alpha.h has their data-driven form on the normalised one.

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
