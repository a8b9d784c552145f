#pragma once

#include <vector>

#include "atcav/matrix.h"

// Intervals for shares and scores in [0, 1]; tests over runs, and corrections over everything tested at once.
namespace atcav::stats {

struct Interval {
  double low = 0;
  double high = 1;
};

// value ± Φ⁻¹((1+level)/2) · error, cut to [0, 1].
Interval normal_interval(double value, double standard_error, double level);
// Percentiles of resampled scores, linear between order statistics (NumPy's default).
Interval percentile_interval(std::vector<double> samples, double level);

// The share of inputs whose true sensitivity is positive: TCAV of the direction that endless examples would
// give. TCAV itself is pulled to ½ by the noise of the CAV, and so are its resamples; this interval is not.
// It is a bound, right with probability `level` or more whatever the noise is shared like: of the inputs
// whose S_j/se_j exceeds the k-th largest that noise alone reaches, at most k - 1 are wrong about their sign,
// for all k at once (joint control as in Blanchard, Neuvial & Roquain 2020). `resamples`: refits × m, whose
// scatter around S is the noise. It holds TCAV itself.
Interval positive_share_interval(const VectorRef& sensitivities, const VectorRef& errors,
                                 const Matrix& resamples, double level, int threads = 1);

// A share k/n that was counted (Wilson 1927), and the mean of two such shares (their errors combined as in
// Newcombe 1998): inside [0, 1], not empty at 0 or n.
Interval share_interval(double successes, double trials, double level);
Interval mean_share_interval(double successes_a, double trials_a, double successes_b, double trials_b,
                             double level);

// (gained - lost)/trials: how a share changes where the same trials are made twice and so many become or are
// no longer successes. Wald's interval with half a trial more in each of the four cells (Agresti and Min
// 2005).
Interval paired_change_interval(double gained, double lost, double trials, double level);

// √(variance_random/n₁ + variance_concept/n₂): the error of a difference of two means.
double two_sample_error(double variance_random, Index n_random, double variance_concept, Index n_concept);
// sd(terms)/√m, divisor m-1: the error from having drawn these m inputs. 0 for one input.
double mean_error(const VectorRef& terms);

struct TTest {
  double statistic = 0;
  double degrees = 0;
  double p = 1;  // when neither sample varies: 1 if the means are equal, 0 if not
};

// Welch's two-sample t-test, two-sided; at least two values in each. The null hypothesis is equal means of
// independent values. It is the usual test for TCAV scores and given beside the permutation test for
// comparison: runs that share their concept examples are not independent, so it is too optimistic
// (docs/theory/significance.md).
TTest welch_t_test(const VectorRef& a, const VectorRef& b);
// The same with one variance for both samples, as Captum's users compute it.
TTest pooled_t_test(const VectorRef& a, const VectorRef& b);

// Corrected p-values, in the order of the arguments.
// min(1, k·p) over k tests: no false alarm at all, with probability 1 - level.
std::vector<double> bonferroni(const std::vector<double>& p);
// Benjamini & Hochberg 1995: the expected share of false alarms.
std::vector<double> benjamini_hochberg(const std::vector<double>& p);

}  // namespace atcav::stats
