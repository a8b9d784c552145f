#pragma once

#include <vector>

#include "atcav/run/layer_pass.h"
#include "apps/paper/experiments.h"

// The paper's experiments on a real model, from one pass over its examples (network/run.h: run_passes).
namespace atcav::paper {

// Sections vary-s, vary-N, α*, accuracy, time and correlation. The smallest set needs two examples.
std::vector<Section> real_sections(const std::vector<LayerPass>& layers,
                                   const PaperOptions& options);

}  // namespace atcav::paper
