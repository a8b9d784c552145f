#pragma once

#include <string>
#include <vector>

#include "atcav/interval.h"
#include "atcav/intervention.h"
#include "atcav/matrix.h"

// How much of what a class's logit does over random inputs lies in the span of the named concepts' directions
// (docs/theory/explained.md; computed in src/stats/explained.h). The logit is regressed on the projections of
// activations, and what counts is what is right on inputs that the regression has not seen.
namespace atcav {

struct Explained {
  std::string class_name;
  std::string layer;
  Index inputs = 0;                // random ones, whose logits and activations are known
  double share = 0;                // of the logit's variance; may fall below 0 by chance
  stats::Interval interval{0, 1};  // over new inputs, the directions held fixed
  MeanAndSd random;                // share of as many directions drawn evenly over the sphere
  double ceiling = 0;              // share of the concepts and ridge on all columns: at least that is linear
  struct Part {
    std::string concept_name;
    double share = 0;
    stats::Interval interval{0, 1};
  };
  std::vector<Part> shapley;            // adds up to `share`; empty for more than 15 concepts
  std::vector<std::string> concepts{};  // whose directions span
};

}  // namespace atcav
