#pragma once

#include <string>
#include <vector>

#include "atcav/base/matrix.h"
#include "apps/paper/figure.h"

// Does a simulation agree with a theory? Every panel answers with the largest deviation in standard errors of
// the simulation, against a stated bound.
//
//   Agreement means;
//   means.add(simulated.mean, exact.mean, simulated.mean_error);
//   figure.claims.push_back(means.claim("simulated means lie on exact theory"));
namespace atcav::paper {

// Over a few hundred points of correct theory the largest deviation is below 4 nearly always; heavy tails and
// estimated errors take the rest.
inline constexpr double kMostDeviation = 5;

class Agreement {
 public:
  // A zero standard error counts only where the two values differ, and then as infinite.
  void add(double simulated, double theory, double standard_error);
  double largest() const { return largest_; }
  Index points() const { return points_; }
  // A check: holds when the largest deviation is at most `bound`.
  Claim claim(const std::string& text, double bound = kMostDeviation) const;
  // A finding: the deviation of an approximation, whatever it is; holds under the same condition.
  Claim finding(const std::string& text, double bound = kMostDeviation) const;

 private:
  double largest_ = 0;
  Index points_ = 0;
};

// Mean and variance of simulated values with their standard errors; that of the variance from the fourth
// moment, √((m₄ - m₂²(R-3)/(R-1))/R), whose last term is what is left for a fair coin. Values that differ by
// rounding alone have variance 0.
struct SampleMoments {
  double mean = 0;
  double variance = 0;  // divisor R-1
  double mean_error = 0;
  double variance_error = 0;
};
SampleMoments sample_moments(const VectorRef& values);

// Share of events among `count`, with the binomial standard error.
struct Share {
  double value = 0;
  double error = 0;
};
Share share(Index events, Index count);

// The fewest events that `count` trials of this probability still make plausible: fewer come with a
// probability below `level`. Exact, so it also serves small counts, where a share is far from normal.
Index fewest_plausible(Index count, double probability, double level);

// Straight line through (log x, log y): the exponent of a power law.
double power_law_exponent(const std::vector<double>& x, const std::vector<double>& y);

// Evenly spaced numbers, both ends included; with `logarithmic` evenly in their logarithms.
std::vector<double> grid(double first, double last, Index count, bool logarithmic = false);

}  // namespace atcav::paper
