#pragma once

#include "atcav/experiment/analyse_pass.h"
#include "atcav/span/pass.h"

namespace atcav::experiment {

// One layer after its pass: all that resampling needs.
struct LayerPass {
  LayerNames names;
  MatrixF gradients;  // classes below each other
  span::Pass pass;
};

}  // namespace atcav::experiment
