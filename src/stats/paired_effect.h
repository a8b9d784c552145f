#pragma once

#include <optional>
#include <vector>

#include "stats/joint_effect.h"

// Two networks (or layers) on the same examples and inputs: how far is an effect of the one from that of the
// other? Both are linear in the responses z_j·x_i, so the difference of logits is the effect of the
// difference of the responses: every error that both share cancels, and of equal networks the difference is
// exactly 0. For d = S̄/sd each row's and each input's influence on either d are subtracted before they are
// squared; that of a reference row on sd is there too (effect.h).
namespace atcav::stats {

struct PairedEffect {
  Effect logits;                 // second less first, without d
  std::optional<Effect> d;       // the same of d, as its `logits`; missing where one of them is undefined
  double first = 0, second = 0;  // S̄ of each
  std::optional<double> first_d, second_d;
};

// first, second: responses, m × rows of the design, of the same inputs and rows; of groups of inputs already
// grouped_inputs. `reference` as label_effect has it.
PairedEffect paired_effect(const LabelDesign& design, Index label, const MatrixRef& first,
                           const MatrixRef& second, const std::vector<Index>& reference, const Groups& groups,
                           double level);

}  // namespace atcav::stats
