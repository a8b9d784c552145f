#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// Ours: false alarms of the field's t-test (a concept's runs against random-versus-random runs) and of the
// permutation test (span/permutation.h), when the concept's examples are random ones. 50 concept examples,
// 500 random ones, 10 runs; 8·repeats problems.
namespace atcav::paper {

std::vector<Figure> significance_level(const PaperOptions& options);

}  // namespace atcav::paper
