#pragma once

#include "plugins/torch/network.h"

// Which tensor holds the logits. Gradients are of logits, not of probabilities.
namespace atcav::plugin {

struct Logits {
  Slot slot = kNoSlot;
  std::string note;  // what was stepped over, for the user; empty if nothing
};

// Starts from `output` (empty: the first graph output with real numbers) and steps back over a final
// Softmax, LogSoftmax or Sigmoid, also through Identity, Reshape, Flatten, Squeeze, Cast, Dropout and
// ZipMap after it. std::invalid_argument if there is no tensor called `output` (with the closest names).
Logits find_logits(const Network& network, const std::string& output);

}  // namespace atcav::plugin
