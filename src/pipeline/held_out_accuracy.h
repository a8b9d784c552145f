#pragma once

#include <vector>

#include "atcav/result.h"
#include "fit/held_out.h"

// Is the concept encoded at the layer? How well examples that a CAV has not seen come apart along it.
namespace atcav {

// Accuracy is balanced (chance is ½, whatever the sizes); the threshold a fold is judged by is η* of the
// other folds' scores, so no row helps to choose its own threshold. `predicted` and `threshold` come from
// normals fitted to all held-out scores. Intervals (at `level`) are for the rows that were scored: Wilson's
// of the two shares combined, DeLong's of the AUC.
struct RightRows {
  std::vector<bool> random;  // of each score, whether its row is on the right side
  std::vector<bool> concept_rows;
};
RightRows right_rows(const pass::HeldOutScores& scores);
Accuracy held_out_accuracy(const pass::HeldOutScores& scores, double level);

}  // namespace atcav
