#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/run/held_out_accuracy.h"
#include "atcav/run/options.h"
#include "atcav/run/result.h"
#include "atcav/span/noise.h"
#include "atcav/span/refit.h"

// From what is left of d dimensions after the pass to a Result: every score with its uncertainty.
namespace atcav {

struct Evidence {
  std::string concept_name;
  std::string class_name;
  std::string layer;
  Index dimension = 0;
  Index n_random = 0;
  Index n_concept = 0;
  Index zero_gradients = 0;  // inputs whose gradient is zero in every column
  std::shared_ptr<const span::Refitter> refitter;
  std::shared_ptr<const span::Noise> noise;
  // Moments-only: there are no rows to permute, but there are covariances. Null otherwise.
  std::shared_ptr<const span::Projections> random_moments;
  std::shared_ptr<const span::Projections> concept_moments;
  span::HeldOutScores held_out;
};

// Every field but the corrected p-values, which need all results. `options` must be checked().
// Fewer rows than runs lower the number of runs, with a warning.
Result analyse(const Evidence& evidence, const Options& options);

// Bonferroni and Benjamini–Hochberg over everything tested in the call.
void correct_for_multiple_tests(std::vector<Result>& results);

}  // namespace atcav
