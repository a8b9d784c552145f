#pragma once

#include <vector>

#include "atcav/matrix.h"

// Tests over runs, and corrections over everything tested at once.
namespace atcav::stats {

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
