#pragma once

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

}  // namespace atcav::stats
