#pragma once

#include <string>
#include <vector>

#include "apps/paper/figure.h"
#include "atcav/random.h"
#include "fit/refit.h"
#include "pipeline/layer_data.h"

// The paper's experiments on a real model, from one pass over its examples (pipeline/collect.h), and ours
// behind.
//
// What the paper repeats with fresh images is repeated here from the columns of P. Random examples are drawn
// with replacement from those given, which stand for the population, so that any budget N can be had from a
// few hundred images. The concept's examples stay whole, as in the paper, or are drawn with replacement too.
namespace atcav::paper {

// One concept, class and layer.
struct RealCase {
  std::string label;  // "layer, concept", and the class when there are several
  pass::Projections random;
  pass::Projections of_concept;
  bool first_class = true;
};
// std::invalid_argument for a layer without a pass.
std::vector<RealCase> real_cases(const std::vector<LayerData>& layers);

struct DrawnRows {
  fit::RowNumbers random;
  fit::RowNumbers of_concept;
};
DrawnRows draw_rows(const fit::Refitter& refitter, Index budget, bool redraw_concept, Stream& stream);

// Multi-TCAV: the drawn random rows in `runs` parts, the concept's whole in each run.
double multi_tcav(const fit::Refitter& refitter, const DrawnRows& rows, Index runs);

// Vary s: mean and variance over draws of Multi-TCAV with s = 2 … 50 runs, and of α-TCAV (α = 1, 3, α*, α†)
// on the whole budget of 1000 random examples. 4·repeats draws (the paper: 50). Panels for the first class;
// the summary of variance ratios is over all cases.
std::vector<Figure> vary_runs(const std::vector<LayerData>& layers, const PaperOptions& options);

// Vary N: variance over the budget N. The indicator and each run of Multi-TCAV use 50 random examples
// whatever N is, α-TCAV uses all N. 4·repeats draws. Ours: the same with the concept's examples drawn anew as
// well. Then no score can fall as 1/N, because the concept's own noise does not.
std::vector<Figure> vary_budget(const std::vector<LayerData>& layers, const PaperOptions& options);

// α* for s = 2, 5, 10 on all examples: 1 : ½ : ⅓ in every row.
std::vector<Figure> alpha_star_table(const std::vector<LayerData>& layers, const PaperOptions& options = {});

// Held-out balanced accuracy of pattern CAVs per layer and concept, and histograms of the scores with fitted
// normals and η*.
std::vector<Figure> encoded_concepts(const std::vector<LayerData>& layers, const PaperOptions& options = {});

// Ours: how far the scores of a class's inputs move together when the CAV is drawn anew, as a mean
// correlation: Var(T) = mean variance · (1 + (m-1)ρ)/m, for α = 1. 4·repeats draws.
std::vector<Figure> real_correlation(const std::vector<LayerData>& layers, const PaperOptions& options);

// Wall-clock: one estimate by α-TCAV and by Multi-TCAV with s = 10 and 50 runs, from 1000 random examples.
// Directly, as the paper does it (fit and project in all d columns for every run; the network's own time left
// out), and from the columns of P, which is what atcav does. Medians of 15; values differ from run to run and
// from machine to machine.
std::vector<Figure> estimate_time(const std::vector<LayerData>& layers, const PaperOptions& options);

}  // namespace atcav::paper
