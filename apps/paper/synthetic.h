#pragma once

#include <array>
#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/problem.h"
#include "atcav/posterior.h"

// Experiments that need no network: one function each, its body and test in files of its name. Four of them
// (calibration, coverage, attenuation, significance) also give their numbers, which tests/simulation holds
// against the theory pages.
namespace atcav::paper {

// The paper's figure "synthetic data TCAV": mean and variance of every score over the budget N, for a concept
// that pulls down (μ < 0), does nothing (μ = 0) or pulls up (μ > 0), σ = 1 and s = 10 runs of Multi-TCAV. And
// its table of their laws, at N = 100.
//
// Simulated from the model itself: s run means ~ N(μ, σ²s/N), whose average is the full-budget sensitivity;
// 400·repeats draws per point. Points are simulations, lines exact theory, dashes the paper's approximation.
std::vector<Figure> synthetic_scores(const PaperOptions& options);

// The paper's figure "variance ratio": r(s) = Var(α*-TCAV)/Var(Multi-TCAV) for s = 2 … 100. The paper's
// approximation depends on s alone; exactly it also depends on the signal of one run, u = √n μ/σ
// (include/atcav/theory.h), which simulation confirms.
std::vector<Figure> variance_ratios(const PaperOptions& options);

// The paper's figures that explain: what the three scores make of the same CAVs (its first figure), the
// sigmoid family, the distributions of the scores of one input (Bernoulli, binomial, one- and two-peaked
// logit-normal), why an indicator varies most at ½ while an average of s of them varies s times less, and two
// normals with the best threshold between them.
std::vector<Figure> explanations(const PaperOptions& options);

// The paper's figure "classification accuracy on synthetic data": the score g(x) = wᵀx/√n of new rows for
// ridge, pattern and fast CAVs, simulated and predicted before any fit, and the error over ridge's λ.
//
// Data as in the paper: two normals with means μ and -μ, Toeplitz covariances 0.2 (random) and 0.4 (concept);
// d = 100 and 200 + 200 rows here, since the paper gives no numbers. 2·repeats CAVs per point; given a CAV
// its error is known exactly, so only the CAVs are simulated.
std::vector<Figure> synthetic_accuracy(const PaperOptions& options);

// How much CAVs vary: Tr Cov(w) against the number of examples for all five methods, in the paper's two
// settings: both classes grow, and only the random examples grow (n₂ = 50 concept examples stay).
// Predicted where there is theory: pattern and fast exactly, ridge by its deterministic equivalent.
// d = 40, Toeplitz covariances 0.2 and 0.4, 2·repeats fits per point.
std::vector<Figure> cav_variability(const PaperOptions& options);

// The paper's future work: sensitivities that are no normals. S is the mean of N draws, each skewed
// (exponential), heavy-tailed (t with 3 degrees of freedom) or both (lognormal): what α* and α† then mean,
// and whether a correction for skewness helps. 100·repeats means per point for the scores, 200·repeats for
// probabilities.
std::vector<Figure> score_shapes(const PaperOptions& options);

// Ours: the m inputs of a class share one CAV, so their scores move together. The paper's variances are of
// one input; neither they nor they over m are the variance of the score, which averages over inputs. Measured
// here: that variance against m, and what it does to the ratio r(s). 20·repeats CAVs, 100 + 100 examples.
std::vector<Figure> input_correlation(const PaperOptions& options);

// Ours: is "the probability that the concept contributes" one? Five answers to P(⟨z_j, μ⟩ > 0) over simulated
// problems of 60 inputs (problem.h): the indicator, α† with the paper's σ̂_eff, α† with each input's own
// noise, Φ(S/se) (flat prior), and empirical Bayes (include/atcav/posterior.h). The paper calls α†
// calibrated; its σ̂_eff is the spread over inputs and not the CAV's noise, so it is not.
enum Answer { kIndicator, kEffective, kAnalytic, kFlat, kEmpiricalBayes, kAnswers };

struct CalibrationSetting {
  Index n;        // random and concept examples each
  double length;  // |μ|
};
// One per Answer, in 15 bins, from 6·repeats problems. Settings with different keys get different problems.
std::vector<stats::Reliability> simulate_calibration(const CalibrationSetting& setting, std::uint64_t key,
                                                     const PaperOptions& options);

// Reliability diagrams at |μ| = 0.8 and the expected calibration errors of all settings.
std::vector<Figure> posterior_calibration(const PaperOptions& options);

// Ours: do intervals cover? The closed-form interval T ± 1.96 se (fit/noise.h) and the percentile bootstrap,
// against the expected score at the same budget.
struct CoverageSetting {
  Index n_random;
  Index n_concept;
  double length;            // |μ|
  bool random_pull = true;  // problem.h
  Index draws = 300;        // fresh CAVs that tell the expected score and its true spread
  Index resamples = 100;    // of the bootstrap; 0: none
};

struct Coverage {
  std::array<Estimate, 2> closed_form;  // share of 95 % intervals that cover, α = 1 and α = 3
  Estimate bootstrap;                   // α = 3; 0 without resamples
  // Closed-form error over true spread, both as root mean square over problems, α = 1 and α = 3.
  std::array<double, 2> error_ratio = {};
};
// 4·repeats problems. Settings with different keys get different problems.
Coverage simulate_coverage(const CoverageSetting& setting, std::uint64_t key, const PaperOptions& options);

std::vector<Figure> interval_coverage(const PaperOptions& options);

// Ours: the fewer the examples, the closer a score lies to ½, whatever the concept does; half-sample
// extrapolation (fit/noise.h) takes part of that away: little with few examples, most with many.
struct AttenuationSetting {
  Index n_random;
  Index n_concept;
  double length = 2;  // |μ|
  std::vector<double> alphas = {3};
  Index halves = 10;  // splits into halves behind an extrapolation
};

// One row per problem; α-TCAV has one column per α.
struct AttenuationScores {
  Matrix population;    // with unlimited examples
  Matrix smooth;        // with those drawn
  Matrix extrapolated;  // from them
  Vector tcav;
};
// 2·repeats problems, the same whatever the numbers of examples.
AttenuationScores simulate_attenuation(const AttenuationSetting& setting, const PaperOptions& options);

// Root mean square distance.
double distance_between(const Matrix& estimates, const Matrix& truth);

// α = 3, |μ| = 2, n examples of each class.
std::vector<Figure> attenuation(const PaperOptions& options);

// Ours: false alarms and power of the usual t-test (a concept's runs against random-versus-random runs) and
// of the permutation test (fit/permutation.h). The null hypothesis of both: the concept's examples are
// random ones. 50 concept examples, 500 random ones, 10 runs, 199 permutations.
struct PValues {  // one per problem
  std::vector<double> permutation;
  std::vector<double> welch;
};
// 8·repeats problems.
PValues simulate_p_values(const ProblemOptions& problem, const PaperOptions& options);

// How often p ≤ level.
Estimate share_at_most(const std::vector<double>& p, double level);

// False alarms.
std::vector<Figure> significance_level(const PaperOptions& options);

}  // namespace atcav::paper
