#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// Ours: the fewer the examples, the closer a score lies to ½, whatever the concept does; half-sample
// extrapolation (span/noise.h) takes most of that away. 2·repeats problems, |μ| = 2, α = 3, n
// examples of each class.
namespace atcav::paper {

std::vector<Figure> attenuation(const PaperOptions& options);

}  // namespace atcav::paper
