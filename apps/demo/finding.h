#pragma once

#include <string>
#include <vector>

#include "apps/demo/truth.h"
#include "atcav/run/result.h"

// The demo's results in words, beside what is true.
//
// Two questions are kept apart. How large is the effect: the mean sensitivity, which for pattern CAVs is
// the first-order change of the logit (in nats of log-odds) on the way from a random patch to one of the
// concept. Is it more than chance: the corrected p. A concept matters here when its effect is not small
// against the largest one on the class at the layer and the posterior is clear of ½; a small effect may
// still be significant, and then the sentence says both.
namespace atcav::demo {

struct DemoFinding {
  DemoTruth truth;
  std::string layer;
  int sign = 0;             // found: +1, -1, or 0 for none worth speaking of
  bool encoded = false;     // held-out accuracy clearly above a coin's
  double effect_share = 0;  // |mean sensitivity| against the largest of the same class and layer
  bool significant = false;
  bool agrees = false;  // the sign is the true one, and what cannot be seen is not found encoded
  std::string sentence;
};

// One for each result, in their order. Throws std::invalid_argument for results that are not the demo's.
std::vector<DemoFinding> demo_findings(const std::vector<Result>& results);

}  // namespace atcav::demo
