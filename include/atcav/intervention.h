#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

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

// Of all logits, on one base: doses × logits.
struct Moved {
  Index inputs = 0;
  Index classes = 0;  // the first columns are the logits; behind them stand the targets of the run's classes
  Matrix odd;
  Matrix error;  // of odd: sd over inputs / √inputs; 0 for one input
  Matrix even;
};

// Of one logit, or of a difference of two.
struct DoseResponse {
  Index inputs = 0;
  std::vector<double> odd;  // by dose
  std::vector<double> low;  // t-intervals over inputs, at the level of intervals; infinite for one input
  std::vector<double> high;
  std::vector<double> even;
  std::vector<Index> rank;  // 1: the logit that odd raises most; always 1 for what is no single logit
};

struct Intervention {
  DoseResponse of_class;  // on the class inputs
  // On random inputs; none for given directions, nor for a target of which each class input has its own.
  std::optional<DoseResponse> random;
  Index classes = 0;  // that the rank is among: the number of logits, or 1
  double ratio = 0;   // Δ(t)/t on the class inputs at the smallest dose, against the first order S̄ there
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

DoseResponse dose_response(const Moved& moved, Index column, double level);
// `names` of logits; missing ones are empty.
SpeaksFor speaks_for(const Moved& on_random, const std::vector<std::string>& names);

}  // namespace atcav
