#pragma once

#include <string_view>
#include <vector>

#include "apps/demo/scene.h"

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
// A zero means that nothing in training made the concept matter. `red` is exactly without effect; `left`
// may keep a small one (a convolution sees the picture's border), which enough examples make significant.
namespace atcav::demo {

struct DemoTruth {
  DemoSet concept_set = DemoSet::kRandom;
  DemoSet class_set = DemoSet::kZebra;
  int sign = 0;            // of the concept's effect on the class's logit
  bool encoded = false;    // can the network tell the concept from random patches?
  std::string_view why{};  // one sentence
};

// The network's classes in the order of its logits, and the concepts in the order they are shown.
const std::vector<DemoSet>& demo_classes();
const std::vector<DemoSet>& demo_concepts();

// Concepts within classes, as above.
const std::vector<DemoTruth>& demo_truth();
// Throws std::invalid_argument for what is no concept or class of the demo.
const DemoTruth& demo_truth(std::string_view concept_name, std::string_view class_name);

}  // namespace atcav::demo
