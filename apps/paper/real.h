#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/paper/figure.h"
#include "atcav/cav.h"
#include "atcav/random.h"
#include "fit/refit.h"
#include "pipeline/layer_data.h"

// The paper's experiments on a real model, from one pass over its examples (pipeline/collect.h), and ours
// behind.
//
// What the paper repeats with fresh images is repeated here from what a pass keeps. Random examples are drawn
// with replacement from those given, which stand for the population, so that any budget N can be had from a
// few hundred images. The concept's examples stay whole, as in the paper, or are drawn with replacement too.
namespace atcav::paper {

struct RealModel {
  std::vector<LayerData> layers;
  stats::CavOptions cav = {};
  bool toy = false;  // says little of other networks: what fails on it is not held against the paper
  std::optional<double> seconds_per_example = {};  // of the network; unknown where all came from a cache
};

// One concept, class and layer.
struct RealCase {
  std::string label;  // "layer, concept", and the class when there are several
  std::string layer;
  std::string concept_name;
  std::shared_ptr<const fit::Refitter> refitter;  // by the model's method
  Index inputs = 0;
  Index columns = 0;
  bool first_class = true;
};
// std::invalid_argument for a layer without a pass.
std::vector<RealCase> real_cases(const RealModel& model, int threads = 0);

fit::Choice draw_rows(const fit::Refitter& refitter, Index budget, bool redraw_concept, Stream& stream);

// Part `run` of `runs` of the random rows, with the concept's whole.
fit::Choice part_of_rows(const fit::Choice& rows, Index run, Index runs);

// Vary s: mean and variance over `repeats` draws (the paper: 50) of Multi-TCAV with s = 2 … 50 runs, and of
// α-TCAV (α = 1, 3, 5, α*, α†) on the whole budget of 1000 random examples. Panels for the first class; the
// summary of variance ratios is over all cases.
std::vector<Figure> vary_runs(const RealModel& model, const PaperOptions& options);

// Vary N: variance over the budget N. The indicator and each run of Multi-TCAV use 50 random examples
// whatever N is, α-TCAV uses all N. `repeats` draws. Ours: the same with the concept's examples drawn anew as
// well. Then no score can fall as 1/N, because the concept's own noise does not.
std::vector<Figure> vary_budget(const RealModel& model, const PaperOptions& options);

// α* for s = 2, 5, 10 on all examples: 1 : ½ : ⅓ in every row; beside the paper's 18 numbers where layer and
// concept have the names they have there.
std::vector<Figure> alpha_star_table(const RealModel& model, const PaperOptions& options = {});

// The paper's figure of classification scores: 20 CAVs from 1000 random and 50 concept examples each, judged
// on the rows they were fitted on (as the figure seems to) and on rows that no CAV has seen; histograms of
// the first one's scores with fitted normals and η*. Needs a pass with all rows (wants_rows).
std::vector<Figure> encoded_concepts(const RealModel& model, const PaperOptions& options = {});

// Ours: how far the scores of a class's inputs move together when the CAV is drawn anew, as a mean
// correlation: Var(T) = mean variance · (1 + (m-1)ρ)/m, for α = 1. 4·repeats draws. And whether sensitivities
// are normal then.
std::vector<Figure> real_correlation(const RealModel& model, const PaperOptions& options);

// Wall-clock: one estimate by α-TCAV and by Multi-TCAV with s = 10 and 50 runs, from 1000 random examples,
// for up to six layers and concepts. In all d columns as the paper does it (fit and project for every run),
// the same with the network's time for the examples, and from the columns of P, which is what atcav does.
// The shortest of 15; values differ from run to run and from machine to machine. Of more than 32,768 columns
// so many are timed and the time multiplied. Other methods than pattern and fast are timed from the pass
// alone.
std::vector<Figure> estimate_time(const RealModel& model, const PaperOptions& options);

}  // namespace atcav::paper
