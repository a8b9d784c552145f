#pragma once

#include "atcav/run/layer_pass.h"
#include "atcav/run/run_config.h"
#include "atcav/run/score.h"

// From a network and folders of examples to results: what `atcav run` does.
//
// Gradients of the class inputs come first and stay; then every random and concept example goes through the
// network once, all layers in one pass. While a block is in the network the one before is multiplied into
// each layer's sums and the next is decoded.
namespace atcav {

// With config.cavs it is run_given (network/run_given.h).
// In a program of several ranks (comm/comm.h) all must call it; rank 0 gets the results, the others an empty
// RunResult. Besides what score() throws: std::invalid_argument for unknown layers, class indices
// out of range, bad configurations; std::runtime_error for unreadable models and images.
RunResult run(const Config& config, const Progress& progress = {});

// The pass alone, without its analysis: for experiments that ask other questions of the same examples.
std::vector<LayerPass> run_passes(const Config& config,
                                              const Progress& progress = {});

}  // namespace atcav
