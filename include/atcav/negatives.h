#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atcav/effect.h"
#include "atcav/groups.h"
#include "atcav/matrix.h"

// What if the random examples were others? An effect S̄ = ū_concept - ū_random, u = z̄·x, belongs to its
// random set. Rows with weights w (Σ w = 1) instead of 1/n each make it S̄ - Σ w_i u_i + ū, and how far w is
// from even is told by χ² = n Σ w_i² - 1. Of all weights that move the mean as far, the nearest are
//   w_i = max(0, a + b·u_i),
// so one line of weights leads away from the finding, and the least χ² on it at which the effect's interval
// holds 0 says how much the finding leans on this random set. Where some of n rows are replaced by second
// copies of others, χ² is twice the share that was replaced; so replacing less than χ²/2 of them so cannot
// do it.
namespace atcav::stats {

// Without the rows of one part of the random set.
struct Stratum {
  std::string name;
  Index rows = 0;
  double logits = 0;
  Interval interval{0, 0};
  double p = 1;  // of use, uncorrected
};

struct Negatives {
  // A step along the weights: how far from even ones, and the effect with its interval there.
  struct Point {
    double chi2;
    double logits;
    Interval interval;
  };
  Index rows = 0;                // of the random set
  std::optional<double> chi2;    // missing where no weights on these rows make the interval hold 0
  std::vector<Point> line = {};  // from even weights to a little beyond
  std::vector<Stratum> strata = {};
};

// Weights as above with this mean of `values`, which must lie between the smallest and the largest of them.
Vector nearest_weights(const VectorRef& values, double mean);

// The variance of a weighted mean: Σ_g (Σ_{i in g} w_i (u_i - ū_w))² / (1 - Σ_g W_g²), W_g = Σ_{i in g} w_i;
// var/n for even weights without groups.
double weighted_mean_variance(const VectorRef& values, const VectorRef& weights, const Groups& groups);

// Along those weights the random rows' share of the effect's variance is the weighted one, the rest and the
// degrees of freedom are as they were. `along`: u of the random rows. `strata`: of each row the name of what
// it belongs to, or empty: each is left out in turn if there are several. An interval that holds 0 already
// gives χ² = 0 and no line.
Negatives other_negatives(const VectorRef& along, const Groups& groups,
                          const std::vector<std::string>& strata, const Effect& effect, double level);

}  // namespace atcav::stats
