#pragma once

#include "fit/fit_point.h"

// Logistic regression's loss of weighted rows, ℓ = ω C log(1 + exp(-y f)), as weighted_fit.h needs it.
namespace atcav::fit {

// -ℓ' at these margins f.
Vector logistic_pulls(const WeightedRows& rows, double cost, const Vector& margins);

// How far to go along a Newton step: where the objective ½|w|² + Σ ℓ has lost nine tenths of its slope, or
// the whole step, 1. `change`: that of the margins. `along`: wᵀ times the change of w. `squared`: the squared
// length of that change.
double logistic_step(const WeightedRows& rows, double cost, const Vector& margins, const Vector& change,
                     double along, double squared);

}  // namespace atcav::fit
