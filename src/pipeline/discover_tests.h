#pragma once

#include <cstdint>
#include <vector>

#include "atcav/discover.h"
#include "fit/max_t.h"
#include "pipeline/base_inputs.h"
#include "pipeline/candidates.h"
#include "pipeline/interventions.h"

// The testing half of a discovery: candidates of one class at one layer, whose examples come from the finding
// half, against inputs that did not find them.
namespace atcav {

// A candidate's examples and what is known of it before anything is tested.
struct CandidateRows {
  Candidate about;
  MatrixF rows;  // of its patches, one per group of inputs
};

struct ClassAtLayer {
  std::size_t layer = 0;  // of the session
  LayerNames::Class of_class;
  MatrixF gradients;                // of the testing half
  std::vector<std::string> groups;  // of these inputs; may be empty
  Matrix random;                    // pooled rows of the finding half's random images
};

// Tests them as concepts; Candidate::result has everything but corrected p-values and the verdict.
void test_candidates(const Session& session, const ClassAtLayer& data, const Options& options,
                     Interventions& interventions, std::vector<CandidateRows>& candidates,
                     fit::LargestT& largest);

// Condition 2, before it is corrected for other classes and layers; and what the same number of directions
// does whose values are those of the candidates, shuffled. `random`: the base of random inputs.
struct Comparisons {
  std::vector<Baseline> directions;
  std::vector<Baseline> clusters;
};
Comparisons compare_candidates(Session& session, const ClassAtLayer& data, const ClassTarget& target,
                               Base& random, const std::vector<MatrixF>& clusters, const Options& options,
                               std::vector<CandidateRows>& candidates);

// Whether adding it moves the logit more than adding any cluster of random images does.
bool beyond_random_images(const Candidate& candidate);

// From the corrected results of all classes and layers.
void judge_candidates(std::vector<Candidate>& candidates, Index families, const Options& options);

}  // namespace atcav
