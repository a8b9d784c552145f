#pragma once

#include <vector>

#include "atcav/run/score.h"
#include "atcav/run/block_turns.h"
#include "atcav/run/probe.h"

// The inputs of each class and the gradients of its logit there: what every run begins with.
namespace atcav {

// std::invalid_argument unless there is a class and no name is given twice.
void check_classes(const Config& config);
// One set a class; std::invalid_argument for a logit that the model does not have.
std::vector<ExampleFiles> open_classes(const Config& config, const Probe& probe);

// One matrix a layer, classes below each other. Ranks other than 0 compute their share of the blocks and get
// an empty list. std::invalid_argument for NaN and infinity.
std::vector<MatrixF> class_gradients(const Config& config, Probe& probe,
                                     std::vector<ExampleFiles>& classes, BlockTurns& turns,
                                     const Progress& progress);

}  // namespace atcav
