#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/demo/scene.h"
#include "atcav/result.h"

// What is true in the demo, known because its pictures and its network were made for it.
//
// | concept | zebra | leopard | horse | visible to the network            |
// |---------|-------|---------|-------|-----------------------------------|
// | striped |   +   |    −    |   −   | yes                               |
// | dotted  |   −   |    +    |   −   | yes                               |
// | left    |   0   |    0    |   0   | yes, but of no use for any class  |
// | red     |   0   |    0    |   0   | no: the first layer mixes colours |
//
// `plain` is no concept here, because its truth has no sign: on the way from random patches to plain ones
// stripes and dots are lost together, which pull zebra in opposite directions.
// A pool of pictures has two labels, and most of its striped pictures are red. `stripes` is what `striped`
// is; `reddish` is nothing to the network, but one by one it looks used, because stripes go with it. With the
// other label held fixed it does not: that is what is compared with the truth.
//
// A zero means that nothing in training made the concept matter. `red` is exactly without effect; `left`
// may keep a small one (a convolution sees the picture's border), which enough examples make significant.
//
// The results are put in words beside it. A concept matters here when the test of use is significant after
// correction and its effect d is at least moderate (include/atcav/effect.h); a small effect may still be
// significant, and then the sentence says both.
namespace atcav::demo {

struct Truth {
  int sign = 0;            // of the concept's effect on the class's logit
  bool encoded = false;    // can the network tell the concept from random patches?
  std::string_view why{};  // one sentence
};
// Throws std::invalid_argument for what is no concept, label or class of the demo.
Truth truth_of_label(const std::string& label, Set class_set);
Truth truth(Set concept_set, Set class_set);

struct Finding {
  Truth truth;
  std::string layer;
  int sign = 0;          // found: +1, -1, or 0 for none worth speaking of
  bool encoded = false;  // the intervals of held-out accuracy and AUC lie above chance, which is 0.50;
                         // of labels the correlation's above 0
  bool significant = false;
  // The sign is the true one and the verdict's, and what cannot be seen is not found encoded.
  bool agrees = false;
  std::string sentence = {};
};

// One for each result, in their order. Throws std::invalid_argument for results that are not the demo's.
std::vector<Finding> findings(const std::vector<Result>& results);

// Result::truth of each: the finding's sentence.
void add_truths(std::vector<Result>& results);

}  // namespace atcav::demo
