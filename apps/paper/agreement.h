#pragma once

#include <string>
#include <vector>

#include "apps/paper/figure.h"
#include "atcav/matrix.h"

// Does a simulation agree with a theory? Every panel answers with the largest deviation in standard errors of
// the simulation, against a stated bound.
//
//   Agreement means;
//   means.add(sample_moments(simulated).mean, exact.mean);
//   figure.claims.push_back(means.check("simulated means lie on exact theory"));
namespace atcav::paper {

// Over a few hundred points of correct theory the largest deviation is below 4 nearly always; heavy tails and
// estimated errors take the rest.
inline constexpr double kMostDeviation = 5;

class Agreement {
 public:
  // A zero standard error counts only where the two values differ, and then as infinite.
  void add(const Estimate& simulated, double theory);
  double largest() const { return largest_; }
  Index points() const { return points_; }
  // Both hold when the largest deviation is at most `bound`; the check is about this program, the finding
  // about an approximation.
  Claim check(const std::string& text, double bound = kMostDeviation) const;
  Claim finding(const std::string& text, double bound = kMostDeviation) const;

 private:
  double largest_ = 0;
  Index points_ = 0;
};

// Mean and variance (divisor R-1) of simulated values with their standard errors; that of the variance from
// the fourth moment, √((m₄ - m₂²(R-3)/(R-1))/R). The factor on m₂² keeps it above zero for values that are 0
// and 1 equally often. Values that differ by rounding alone have variance 0.
struct SampleMoments {
  Estimate mean;
  Estimate variance;
};
SampleMoments sample_moments(const VectorRef& values);
// Of each column, and then their mean.
double mean_variance(const Matrix& columns);

// Share of events among `count`, with the binomial standard error.
Estimate share(Index events, Index count);

// The fewest events that `count` trials of this probability still make plausible: fewer come with a
// probability below `level`. Exact, so it also serves small counts, where a share is far from normal.
Index fewest_plausible(Index count, double probability, double level);

// Straight line through (log x, log y): the exponent of a power law.
double power_law_exponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace atcav::paper
