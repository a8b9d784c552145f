#pragma once

#include "plugins/torch/network.h"

// BatchNormalization at inference is a scale and a shift per channel. After a convolution they go into
// its weights: w' = w·s, b' = (b − mean)·s + shift with s = scale/√(variance + ε); one memory pass less.
namespace atcav::plugin {

// Finds network.fusions; the new weights become constants of the network. A convolution qualifies when its
// weights and all parameters are constant and nothing but the normalisation reads it.
void fuse_normalisation(Network& network);

}  // namespace atcav::plugin
