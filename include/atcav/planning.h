#pragma once

#include <cmath>
#include <string>

#include "atcav/matrix.h"

// How many examples for a wanted standard error of an effect, S̄ or d (effect.h)? A pilot run gives the
// variance of z̄·x over its random rows (v₁) and over its concept rows (v₂), and the part that comes from
// having drawn its inputs (v₃), which no example removes; with n₁ and n₂ rows
//   se² = v₁/n₁ + v₂/n₂ + v₃.
// More random rows alone cannot go below √(v₂/n₂ + v₃): the concept's own noise stays.
//
//   Plan plan = plan_random({.random_variance = 0.8, .concept_variance = 0.3}, 0.02, 1000);
//   if (!plan.possible) explain(plan.reason);
//
// Approximate: v₁ and v₂ are themselves estimates (from n rows good to about 1.4/√n of their size, if z̄·x is
// nearly normal), so a plan from a small pilot is a rough one.
namespace atcav::stats {

struct Pilot {
  double random_variance = 0;   // v₁ ≥ 0
  double concept_variance = 0;  // v₂ ≥ 0
  double inputs_variance = 0;   // v₃ ≥ 0
};

struct Costs {
  double random = 1;      // of one random row, > 0
  double of_concept = 1;  // of one concept row, > 0
};

struct Plan {
  bool possible = false;
  Index n_random = 0;  // 0 when impossible and not given
  Index n_concept = 0;
  double standard_error = 0;  // with these numbers; when impossible, the floor that cannot be passed
  double cost = 0;            // plan_cheapest only
  std::string reason;         // one sentence for people
};

// Fewest random rows beside n_concept ≥ 2 given ones, and the other way round. At least 2 of each.
Plan plan_random(const Pilot& pilot, double standard_error, Index n_concept);
Plan plan_concept(const Pilot& pilot, double standard_error, Index n_random);

// The standard error at which an effect of this size is found with probability `power` by a two-sided test at
// (1 - level)/tests, Bonferroni's share of as many tests: effect / (t((1+level)/2) + t(power)), with
// quantiles of Student's law of the pilot's `degrees` (its effect.df). The pilot's variances may be too small
// by chance, and planning on them reaches too little; so the error is what it must be if they are, taken at
// the bound that the true one exceeds with probability 0.3: √(χ²_degrees(0.3)/degrees) times. Infinite
// degrees: normal quantiles, nothing taken off.
double detecting_error(double effect, double level, double power, double degrees = HUGE_VAL, Index tests = 1);

// Both free: the cheapest pair, n_ℓ ∝ √(v_ℓ / cost_ℓ), then the best whole numbers nearby.
Plan plan_cheapest(const Pilot& pilot, double standard_error, const Costs& costs = {});

// An effect d with its standard error and degrees of freedom was neither shown to differ from 0 (two-sided,
// at `level_use`) nor to lie within ±bound (two one-sided tests at `level_bound`). With how many times as
// many examples and inputs would one of the two be shown with probability `power`, if d is as large as
// estimated? The error shrinks with the root of the factor; at least 1. t quantiles with the pilot's degrees
// of freedom, and its error as detecting_error takes it: it is itself an estimate.
double deciding_factor(double d, double error, double degrees, double bound, double level_use,
                       double level_bound, double power = 0.8);

}  // namespace atcav::stats
