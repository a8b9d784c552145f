#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// Ours: the m inputs of a class share one CAV, so their scores move together. The paper's variances are of
// one input; neither they nor they over m are the variance of the score, which averages over inputs. Measured
// here: that variance against m, and what it does to the ratio r(s). 20·repeats CAVs, 100 + 100 examples.
namespace atcav::paper {

std::vector<Figure> input_correlation(const PaperOptions& options);

}  // namespace atcav::paper
