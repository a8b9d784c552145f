#pragma once

#include <vector>

#include "apps/paper/figure.h"
#include "apps/paper/real_case.h"

// The paper's tables and remaining figures on a real model.
namespace atcav::paper {

// α* for s = 2, 5, 10 on all examples: 1 : ½ : ⅓ in every row.
std::vector<Figure> alpha_star_table(const std::vector<RealCase>& cases);
// Held-out balanced accuracy of pattern CAVs per layer and concept, and histograms of the scores with fitted
// normals and η*.
std::vector<Figure> encoded_concepts(const std::vector<LayerPass>& layers);
// Beyond the paper: how far the scores of a class's inputs move together when the CAV is drawn anew, as a
// mean correlation: Var(T) = mean variance · (1 + (m-1)ρ)/m, for α = 1. 4·repeats draws.
std::vector<Figure> real_correlation(const std::vector<RealCase>& cases, const PaperOptions& options);

}  // namespace atcav::paper
