#pragma once

#include <vector>

#include "atcav/base/matrix.h"

// Two-sample t-tests, two-sided: the field's habit for TCAV scores, given beside the permutation test
// for comparison. Runs that share concept examples are correlated, so these overstate (MATH: 18 % false
// alarms at level 0.05; docs/theory/significance.md).
namespace atcav::stats {

struct TTest {
  double statistic = 0;
  double degrees = 0;
  double p = 1;  // when neither sample varies: 1 if the means are equal, 0 if not
};

// Both need at least two values.
TTest welch_t_test(const VectorRef& a, const VectorRef& b);
TTest pooled_t_test(const VectorRef& a, const VectorRef& b);

// Correction over everything tested at once; the order of the results is the order of the arguments.
//
// min(1, k·p) over k tests: no false alarm at all, with probability 1 - level.
std::vector<double> bonferroni(const std::vector<double>& p);
// Benjamini & Hochberg 1995, as adjusted p-values: the expected share of false alarms.
std::vector<double> benjamini_hochberg(const std::vector<double>& p);

}  // namespace atcav::stats
