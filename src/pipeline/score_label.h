#pragma once

#include <cstdint>
#include <string>

#include "atcav/matrix.h"
#include "atcav/options.h"
#include "atcav/result.h"

namespace atcav {

// What is left of a label and a class after the pass.
struct LabelEvidence {
  std::string label;
  LabelFacts facts;
  Index with = 0;  // rows with a 0/1 label, and without; of numbers all, and none
  Index without = 0;
  Index zero_gradients = 0;
  Vector sensitivities;
  Matrix covariance;  // of the sensitivities, from the examples
  stats::Effect effect;
  const Matrix* draws = nullptr;  // label_draws of as many inputs or more
};

// Standard normals that results of a label share: class after class begins with the first.
Matrix label_draws(const std::string& label, Index inputs, std::uint64_t seed);

// A Result of what has a closed form: no refits, so none of the fields that LabelFacts names. Intervals are
// "delta"; of TCAV and of steep α, whose scores are nearly steps, they come from draws of the sensitivities'
// normal law.
Result score_label(const LabelEvidence& evidence, const Options& options);

}  // namespace atcav
