#pragma once

#include <vector>

#include "atcav/base/matrix.h"
#include "atcav/experiment/result.h"

// Is the concept encoded at the layer? How well examples that a CAV has not seen come apart along it.
namespace atcav::experiment {

// Scores of rows by fits without their fold, and the fold of each.
struct HeldOutScores {
  Vector random;
  Vector concept_rows;
  std::vector<Index> random_folds;
  std::vector<Index> concept_folds;
};

// Accuracy is balanced (½ for a coin, whatever the sizes); the threshold a fold is judged by is η* of the
// other folds' scores, so no row helps to choose its own threshold. `predicted` and `threshold` come from
// normals fitted to all held-out scores.
Accuracy held_out_accuracy(const HeldOutScores& scores);

}  // namespace atcav::experiment
