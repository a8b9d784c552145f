#pragma once

#include <vector>

#include "atcav/base/matrix.h"

// Are probabilities honest? Among all statements made with probability about p, a share p should be true.
namespace atcav::stats {

struct ReliabilityBin {
  double mean_probability = 0;
  double share_true = 0;
  Index count = 0;
};

struct Reliability {
  std::vector<ReliabilityBin> bins;       // equal widths on [0, 1]; empty bins have count 0
  double expected_calibration_error = 0;  // Σ (count/total) |mean_probability - share_true|
};

// `outcomes` are 0 or 1, one per probability.
Reliability reliability(const VectorRef& probabilities, const VectorRef& outcomes, int bins = 15);

}  // namespace atcav::stats
