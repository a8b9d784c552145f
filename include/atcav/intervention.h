#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "atcav/interval.h"
#include "atcav/matrix.h"

// What happens to the logits when a concept is added to activations: the network is run from the layer on.
// With base activations h_j, the direction w (one step from the random mean to the concept mean) and a dose
// t,
//   odd   Δ_k(t) = mean_j [logit_k(h_j + t·w) - logit_k(h_j - t·w)]/2               the effect on logit k
//   even  E_k(t) = mean_j [logit_k(h_j + t·w) + logit_k(h_j - t·w)]/2 - logit_k(h_j)  what leaving the usual
//                                                                                   activations costs
// Δ_k(t)/t → S̄ as t → 0. A class's rank among all logits by Δ says whether the effect is particular to it.
// Two kinds of bases: the class inputs (does it matter for these?) and random inputs (which classes does the
// concept speak for?).
namespace atcav {

inline constexpr std::array kDoses = {0.1, 0.5, 1.0};

// Of one logit, or of a difference of two. Its error has two sources: the inputs that were drawn, and the
// examples behind w, V = var_j(odd_j)/m + t² [var(G·x_c)/n_c + var(G·x_r)/n_r] with
// G = mean_j [∇f(h_j + t·w) + ∇f(h_j - t·w)]/2; for even with the difference of the two gradients.
struct DoseResponse {
  Index inputs = 0;
  std::vector<double> odd;   // by dose
  std::vector<double> low;   // t-intervals over inputs and examples, at the level of intervals; infinite for
  std::vector<double> high;  // one input
  std::vector<double> p;     // the null hypothesis: odd is 0 over new inputs and new examples
  std::vector<double> bonferroni;          // of p, over everything tested in the call on this kind of base at
  std::vector<double> benjamini_hochberg;  // this dose
  std::vector<double> error_inputs;        // standard errors of odd by source
  std::vector<double> error_examples;      // 0 for directions that were given
  std::vector<double> skewness;            // of odd over inputs
  std::vector<double> even;
  std::vector<double> even_low;
  std::vector<double> even_high;
  std::vector<Index> rank;  // 1: the logit that odd raises most; always 1 for a combination of logits
};

struct Intervention {
  DoseResponse of_class;  // on the class inputs
  // On random inputs; not for given directions, nor for targets that differ between class inputs.
  std::optional<DoseResponse> random;
  Index classes = 0;  // ranked: the number of logits, or 1
  double ratio = 0;   // Δ(t)/t on the class inputs at the smallest dose, against the first order there
};

struct MeanAndSd {
  double mean = 0;
  double sd = 0;  // divisor count-1
};

// The converse: what happens to the class's logit when the concept is erased from class inputs. With δ the
// difference of means, w the direction of the eraser and μ the random mean (src/stats/erasure.h),
//   erase(h) = h - δ·(w·(h - μ))/(w·δ),   Δ_k = mean_j [logit_k(erase(h_j)) - logit_k(h_j)].
struct Erasure {
  Index inputs = 0;
  std::string eraser;                             // the CAV method of w
  double change = 0;                              // Δ of the class
  stats::Interval interval{-HUGE_VAL, HUGE_VAL};  // over inputs (paired) and examples (jackknife over groups)
  double p = 1;  // the null hypothesis: the change is 0 over new inputs and new examples
  double bonferroni = 1;
  double benjamini_hochberg = 1;
  double error_inputs = 0;
  double error_examples = 0;
  double skewness = 0;                // of the changes over inputs
  Index rank = 1;                     // 1: the logit that falls most
  std::optional<double> top1_before;  // share of the inputs for which the class's logit is the largest; of a
  std::optional<double> top1_after;   // class with one logit
  MeanAndSd share;  // w·(h - μ)/(w·δ) over inputs: 1 is as much as the concept's examples
  std::optional<MeanAndSd> control;  // change for differences between random halves of the random examples
};

// The classes a concept speaks for and against most, at dose 1 on random inputs.
struct SpeaksFor {
  struct Class {
    Index index = 0;
    std::string name;  // from --labels or the run's classes; may be empty
    double odd = 0;
  };
  std::string concept_name;
  std::string layer;
  std::vector<Class> most;
  std::vector<Class> least;  // most negative first
};

// All concepts of a layer erased at once from the inputs of a class.
struct JointErasure {
  std::string layer;
  std::string class_name;
  std::vector<std::string> concepts;
  Erasure erasure;  // without p (there is no single hypothesis), share and control
};

// The class's logit on real examples: the mean over the concept's less the mean over random ones. It holds
// all that the two sets differ in, not the concept alone.
struct LogitDifference {
  double difference = 0;
  stats::Interval interval{0, 0};  // Welch's, at the level of intervals
  double p = 1;
  double random_sd = 0;  // of the logit over random examples
  Index n_concept = 0;   // examples that went through the whole network
  Index n_random = 0;
};

// The share of a class's logit over random inputs that the span of the named concepts' directions explains
// (docs/theory/explained.md; computed in src/stats/explained.h): the logit is regressed on the projections of
// activations, and the share is cross-validated.
struct Explained {
  std::string class_name;
  std::string layer;
  Index inputs = 0;                // random ones, whose logits and activations are known
  double share = 0;                // of the logit's variance; may fall below 0 by chance
  stats::Interval interval{0, 1};  // over new inputs, the directions held fixed
  MeanAndSd random;                // share of as many directions drawn evenly over the sphere
  double ceiling = 0;  // share of the concepts and ridge on all columns: a lower bound of what is linear
  struct Part {
    std::string concept_name;
    double share = 0;
    stats::Interval interval{0, 1};
  };
  std::vector<Part> shapley;            // adds up to `share`; empty for more than 15 concepts
  std::vector<std::string> concepts{};  // whose directions span
};

// Where in an input the sensitivity arises, and where the concept is (pipeline/position_maps.h). Cells are
// positions of the layer or squares of them, row by row.
struct PositionMap {
  Index input = 0;
  std::vector<double> sensitivity;  // adds up to the input's
  std::vector<double> activation;   // empty if inputs cannot be read twice
};
struct PositionMaps {
  Index height = 0;  // in cells
  Index width = 0;
  Index cell = 1;       // positions in the side of a cell
  bool tokens = false;  // of a sequence: height is 1
  std::vector<PositionMap> inputs;
};

}  // namespace atcav
