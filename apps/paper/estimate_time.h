#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/real_case.h"

// The paper's wall-clock figure: one estimate by α-TCAV and by Multi-TCAV with s = 10 and 50 runs, from 1000
// random examples. Directly, as the paper does it (fit and project in all d columns for every run; the
// network's own time left out), and from the columns of P, which is what atcav does. Medians of 15; values
// differ from run to run and from machine to machine.
namespace atcav::paper {

std::vector<Figure> estimate_time(const std::vector<LayerPass>& layers,
                                  const PaperOptions& options);

}  // namespace atcav::paper
