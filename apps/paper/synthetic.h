#pragma once

#include <vector>

#include "apps/paper/figure.h"

// Experiments that need no network and whose numbers nobody else asks for: one function each, its body and
// test in files of its name. Those behind calibration.h, coverage.h, attenuation.h and significance.h return
// their numbers too, for tests/simulation.
namespace atcav::paper {

// The paper's figure "synthetic data TCAV": mean and variance of every score over the budget N, for a concept
// that pulls down (μ < 0), does nothing (μ = 0) or pulls up (μ > 0), σ = 1 and s = 10 runs of Multi-TCAV.
//
// Simulated from the model itself: s run means ~ N(μ, σ²s/N), whose average is the full-budget sensitivity;
// 400·repeats draws per point. Points are simulations, lines exact theory, dashes the paper's approximation.
std::vector<Figure> synthetic_scores(const PaperOptions& options);

// The paper's figure "variance ratio": r(s) = Var(α*-TCAV)/Var(Multi-TCAV) for s = 2 … 100. The paper's
// approximation depends on s alone; exactly it also depends on the signal of one run, u = √n μ/σ
// (stats/variance_ratio.h), which simulation confirms.
std::vector<Figure> variance_ratios(const PaperOptions& options);

// The paper's figures that explain: the sigmoid family, the distributions of the scores of one input
// (Bernoulli, binomial, one- and two-peaked logit-normal), and why an indicator varies most at ½ while an
// average of s of them varies s times less. No simulation, except of the two-peaked logit-normal's moments.
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

// Ours: the m inputs of a class share one CAV, so their scores move together. The paper's variances are of
// one input; neither they nor they over m are the variance of the score, which averages over inputs. Measured
// here: that variance against m, and what it does to the ratio r(s). 20·repeats CAVs, 100 + 100 examples.
std::vector<Figure> input_correlation(const PaperOptions& options);

}  // namespace atcav::paper
