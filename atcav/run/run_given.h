#pragma once

#include "atcav/run/run_config.h"
#include "atcav/run/score.h"

namespace atcav {

// From a network, directions (config.cavs, experiment/directions.h) and class inputs to scores: what
// `atcav run --cavs` does. Only class inputs go through the network. Without config.layers all layers of the
// file are taken. Scores are in RunResult::given, cosines between the directions in RunResult::entanglement, and a
// note says what cannot be known without examples; another when the file names another model.
//
// std::invalid_argument for concepts, random, relative, save_cavs, alpha star or dagger beside config.cavs;
// else as run() and read_directions().
RunResult run_given(const Config& config, const Progress& progress = {});

}  // namespace atcav
