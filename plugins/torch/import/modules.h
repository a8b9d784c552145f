#pragma once

#include "atcav/model.h"
#include "plugins/torch/exec/network.h"

// The modules that a network was made of, as its author named them, and the tensor that each gives.
namespace atcav::plugin {

// A module's result is the last layer made inside it that something outside reads. `layers` are the slots
// that can be asked for, in execution order (kNoSlot for those that hold no real numbers). In the order of
// the tree, parents before their parts.
//
// Notes tell what the name alone would hide:
// - the exporter folded a BatchNorm into the convolution before it: both names lead to the same tensor. The
//   new exporter keeps the convolution's name in that of its weights. The old one drops the name of the
//   BatchNorm: it is taken to be the next one of a Sequential, or bn1 or norm1 for conv1 (norm2 where norm1
//   is another);
// - a part of a Sequential that left nothing in the file (Dropout at inference) gives what it is given;
// - a module that was called several times, or gives several tensors: the last is meant.
std::vector<model::Module> find_modules(const Network& network, const std::vector<Slot>& layers, Slot logits);

}  // namespace atcav::plugin
