#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/real_case.h"

// The paper's vary-N experiment: variance over the budget N. The indicator and each run of Multi-TCAV use 50
// random examples whatever N is, α-TCAV uses all N. 4·repeats draws.
//
// Beyond the paper: the same with the concept's examples drawn anew as well. Then no score can fall as 1/N,
// because the concept's own noise does not.
namespace atcav::paper {

std::vector<Figure> vary_budget(const std::vector<RealCase>& cases, const PaperOptions& options);

}  // namespace atcav::paper
