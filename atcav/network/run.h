#pragma once

#include "atcav/experiment/layer_pass.h"
#include "atcav/experiment/run_config.h"
#include "atcav/experiment/score.h"

// From a network and folders of examples to results: what `atcav run` does.
//
// Gradients of the class inputs come first and stay; then every random and concept example goes through the
// network once, all layers in one pass. While a block is in the network the one before is multiplied into
// each layer's sums and the next is decoded.
namespace atcav::network {

// With config.cavs it is run_given (network/run_given.h).
// In a program of several ranks (comm/comm.h) all must call it; rank 0 gets the results, the others an empty
// experiment::Scored. Besides what score() throws: std::invalid_argument for unknown layers, class indices
// out of range, bad configurations; std::runtime_error for unreadable models and images.
experiment::Scored run(const experiment::RunConfig& config, const experiment::Progress& progress = {});

// The pass alone, without its analysis: for experiments that ask other questions of the same examples.
std::vector<experiment::LayerPass> run_passes(const experiment::RunConfig& config,
                                              const experiment::Progress& progress = {});

}  // namespace atcav::network
