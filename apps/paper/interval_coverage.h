#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// Ours: do intervals cover? The closed-form interval T ± 1.96 se (span/noise.h) and the percentile bootstrap,
// against the expected score at the same budget, over 4·repeats problems a setting.
namespace atcav::paper {

std::vector<Figure> interval_coverage(const PaperOptions& options);

}  // namespace atcav::paper
