#pragma once

#include <string>
#include <vector>

#include "atcav/effect.h"
#include "atcav/groups.h"
#include "atcav/matrix.h"

// The weights behind stats::Negatives (atcav/effect.h).
namespace atcav::stats {

// The nearest weights with this mean of `values`, which must lie between the smallest and the largest of
// them.
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
