#pragma once

#include <vector>

#include "atcav/intervention.h"
#include "stats/variance_parts.h"

// From the logits of moved inputs to intervals, tests and ranks (atcav/intervention.h).
namespace atcav {

// Of all logits, on one base: doses × logits.
struct Moved {
  Index inputs = 0;
  Index classes = 0;  // the first columns are the logits; behind them stand the targets of the run's classes
  Matrix odd;
  Matrix odd_error;  // sd over inputs / √inputs; 0 for one input
  Matrix even;
  Matrix even_error;
  Matrix odd_skewness;  // over inputs
};

// What the examples behind w add to the variance of odd and even, by dose; empty for given directions.
struct MovedByExamples {
  std::vector<std::vector<stats::VariancePart>> odd;
  std::vector<std::vector<stats::VariancePart>> even;
};

DoseResponse dose_response(const Moved& moved, Index column, const MovedByExamples& examples, double level);
// `names` of logits; missing ones are empty.
SpeaksFor speaks_for(const Moved& on_random, const std::vector<std::string>& names);

}  // namespace atcav
