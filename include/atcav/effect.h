#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "atcav/interval.h"
#include "atcav/matrix.h"

// Does the class's logit move with the concept? The mean sensitivity over inputs has a unit,
//   S̄ = z̄·(x̄_concept - x̄_random),   z̄ the mean gradient:
// the first-order change of the logit when activations move from the random mean to the concept mean, and
//   d = S̄ / sd_random(z̄·x)
// is the same in units of what random examples do to the logit anyway, to first order. Both go to 0 for a
// concept that is not used; scores that are free of scale (TCAV, α-TCAV) do not. How well first order tells
// what random examples do differs from layer to layer, and d with it; where a network gives their logits,
//   S̄ / sd_random(logit)
// has one unit for all layers.
//
// Test of use, two-sided; the null hypothesis is E S̄ = 0 over new examples and new inputs of the class:
//   t = S̄/√V,  V = V_concept + V_random + V_inputs,   V_set = var(z̄·x in the set)/n
//   V_inputs = max(0, var_j(S_j) - Σ_j noise_j/(m-1))/m,   noise_j = the examples' part of (S_j - S̄)'s noise
// with Satterthwaite's degrees of freedom over what was estimated: n - 1 for each set, and m - 1 for all of
// var_j(S_j), also for what is then taken off. It has no smallest p. The inputs' part is there because inputs
// are drawn too. Simulated levels: docs/theory/significance.md.
namespace atcav::stats {

// A variance of S̄ that was itself estimated, with its degrees of freedom.
struct VariancePart {
  double variance = 0;
  double degrees = 1;
};

// Where the noise of S̄ comes from: the two sets one by one (differences of means), or both together (fits,
// whose noise comes from a jackknife).
struct MeanNoise {
  std::optional<VariancePart> of_concept;
  std::optional<VariancePart> random;
  std::optional<VariancePart> examples;
};

// How z̄·x is spread over the random examples, and how single inputs follow it.
struct RandomSpread {
  Index count = 0;
  double variance = 0;
  double skewness = 0;  // of a normal law where rows are not known
  double kurtosis = 3;
  Vector slopes = {};  // m: cov(z_j·x, z̄·x)/var(z̄·x); their mean is 1. Empty: all 1
  // In place of the skewness where the rows of both sets come in pairs: mean of -δ(z² - 1), δ and z what pair
  // and random row deviate by, in standard deviations of the random rows.
  std::optional<double> of_pairs = {};
};

struct Effect {
  double logits = 0;  // S̄
  Interval interval{0, 0};
  std::optional<double> d;  // undefined where random examples do not move the logit, and for given directions
  Interval d_interval{-HUGE_VAL, HUGE_VAL};  // both infinite where d is undefined
  double unit = 0;                           // sd_random: logits per d
  double d_error = 0;                        // standard error of d, and its degrees of freedom
  double d_degrees = 0;
  // Its parts, from each set of n rows with n - 1 degrees of freedom and from m inputs with m - 1. Where sets
  // are not known apart, theirs is `random`.
  struct DErrors {
    double of_concept = 0;
    double random = 0;
    double inputs = 0;
  } d_errors = {};
  // In standard deviations of the logit itself over random examples; where a network is at hand.
  struct Standardised {
    double value = 0;
    Interval interval;
  };
  std::optional<Standardised> standardised = {};
  double error_concept = 0;  // standard errors of S̄ by source; the first two are 0 where only
  double error_random = 0;   // error_examples is known
  double error_examples = 0;
  double error_inputs = 0;
  double degrees = 0;
  double p = 1;  // of use
  // For all tests of the call at once (fit/max_t.h); missing where examples cannot be relabelled.
  std::optional<Interval> simultaneous = {};
  // If a handful of random rows determine sd_random, and d with it: about how many (n/kurtosis of z̄·x).
  std::optional<double> few_rows = {};
};

// sensitivities: S_j in logits. errors: standard error of each from the examples. Nothing varies at all (V =
// 0): p is 1 if S̄ = 0 and 0 if not. d is undefined where random examples do not move the logit (variance 0).
// d's error follows from its influence values: those of S̄, and of sd_random through skewness and kurtosis.
// `logit`: of the class's logit over the same examples, if it is known, with E[(z̄·x - E z̄·x)·u²]/sd for the
// skewness, u the logit standardised.
Effect measure_effect(const VectorRef& sensitivities, const VectorRef& errors, const MeanNoise& noise,
                      const RandomSpread& random, double level,
                      const std::optional<RandomSpread>& logit = std::nullopt);

// For examples that were read until V was small (pipeline/reading.h). Samples that happen to vary little end
// first, so V is then too small on average. Every interval, and p, uses V + se(V) in its place,
//   se(V)² = Σ_set V_set²·(kurtosis - 1)/n,
// V that of d, whose parts (d_errors) stay as they are. Unchanged where d is undefined.
Effect stopped_by_width(Effect effect, const RandomSpread& random, const RandomSpread& of_concept);

// The same for a given direction: S̄ with the error over inputs alone.
Effect measure_effect_of_direction(const VectorRef& sensitivities, double level);

// Among directions of the same length, drawn evenly over the sphere of d dimensions, the share that move the
// logit at least as much: P(|u₁| ≥ |cosine|) = I_{1-cosine²}((d-1)/2, ½), u evenly over the unit sphere and
// the cosine that of the direction with the mean gradient. In one dimension there is no other.
double random_direction_p(double cosine, Index d);

// Of Student's law: P(T ≤ t) = `fraction`.
double t_quantile(double fraction, double degrees);

// Rows make a variance known as well as n/kurtosis rows of ±1. Below 30 of those, with tails far beyond a
// normal law's 3, intervals of d hold it in 0.80 to 0.90 of the cases (docs/theory/significance.md).
inline constexpr double kFewRows = 30;
inline constexpr double kHeavyTails = 6;

// Is |d| shown to be smaller than `bound` (> 0)? Two one-sided t-tests of d ≥ bound and d ≤ -bound; the
// larger p, below 0.05 exactly where the 90 % interval of d lies inside ±bound (Schuirmann 1987). 1 where d
// is undefined or carried by few rows. A large p says nothing.
double equivalence_p(const Effect& effect, double bound);

// Do some inputs use the concept? S̄ may be 0 because half of them use it and half count it against. The null
// hypothesis is that none does, S ~ N(0, C) with C the noise covariance of all S_j; S'S/tr C is then nearly
// F-distributed, with ν = (tr C)²/tr C² and ν·degrees degrees of freedom, `degrees` those of C (Satterthwaite
// 1946). Two-sided by nature. No noise: 1 if all S_j are 0, 0 if not.
double some_inputs_p(const VectorRef& sensitivities, const MatrixRef& covariance, double degrees);

// How much does an effect depend on its random set? S̄ = ū_concept - ū_random, u = z̄·x. With weights w
// (Σ w = 1) on the random rows instead of 1/n it is S̄ - Σ w_i u_i + ū, and χ² = n Σ w_i² - 1 measures how far
// w is from even. Of all weights that move the mean as far, the nearest are
//   w_i = max(0, a + b·u_i),
// one line of weights that leads away from the finding. The least χ² on it at which the effect's interval
// contains 0 is reported. If a share of the n rows is replaced by second copies of others, χ² is twice that
// share: replacing less than χ²/2 of them so cannot remove the finding.

// Without the rows of one part of the random set.
struct Stratum {
  std::string name;
  Index rows = 0;
  double logits = 0;
  Interval interval{0, 0};
  double p = 1;  // of use, uncorrected
};

struct Negatives {
  // A step along the line: distance from even weights, and the effect with its interval there.
  struct Point {
    double chi2;
    double logits;
    Interval interval;
  };
  Index rows = 0;                // of the random set
  std::optional<double> chi2;    // missing if no weights on these rows bring 0 into the interval
  std::vector<Point> line = {};  // from even weights to a little beyond
  std::vector<Stratum> strata = {};
};

// |d| below 0.2, 0.8: the customary limits of small, moderate and strong effects (Cohen 1988).
inline constexpr double kModerateEffect = 0.2;
inline constexpr double kStrongEffect = 0.8;

}  // namespace atcav::stats
