#pragma once

#include <vector>

#include "atcav/base/matrix.h"

// Intervals for a score in [0, 1].
namespace atcav::stats {

struct Interval {
  double low = 0;
  double high = 1;
};

// value ± Φ⁻¹((1+level)/2) · error, cut to [0, 1].
Interval normal_interval(double value, double standard_error, double level);
// Percentiles of resampled scores, linear between order statistics (NumPy's default).
Interval percentile_interval(std::vector<double> samples, double level);

// √(variance_random/n₁ + variance_concept/n₂): the error of a difference of two means.
double two_sample_error(double variance_random, Index n_random, double variance_concept, Index n_concept);
// sd(terms)/√m, divisor m-1: the error from having drawn these m inputs. 0 for one input.
double mean_error(const VectorRef& terms);

}  // namespace atcav::stats
