#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/options.h"

// The paper's figures that explain: the sigmoid family, the distributions of the scores of one input
// (Bernoulli, binomial, one- and two-peaked logit-normal), and why an indicator varies most at ½ while an
// average of s of them varies s times less. No simulation, except of the two-peaked logit-normal's moments.
namespace atcav::paper {

std::vector<Figure> explanations(const PaperOptions& options);

}  // namespace atcav::paper
