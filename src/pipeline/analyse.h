#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "atcav/options.h"
#include "atcav/result.h"
#include "pass/pass.h"
#include "pipeline/layer_data.h"

// The analysis: layers as a source left them → results with intervals, tests and warnings. Every way in ends
// here, so what a result holds does not depend on where its rows came from.
namespace atcav {

// What the pass must keep for these options, given the smallest set's number of rows.
pass::PassOptions pass_options(const Options& options, Index smallest_set);

// Bytes that a layer of d columns takes until it is analysed: its gradients, one row per class input, and the
// pass over its examples.
double layer_bytes(Index inputs, Index d, Index examples, Index sets, const pass::PassOptions& options);

// A layer while its directions are at hand.
struct AnalysedLayer {
  const LayerData& data;
  std::span<Result> results;  // tests within classes
  // Of the test: sensitivities are gradients times it. Empty for a concept against a concept with a fitted
  // method, whose direction is not kept.
  std::function<Vector(Index test)> direction;
  // One row per test: from its random mean to its concept mean, or the direction that was given.
  std::function<MatrixF()> steps;
  std::vector<std::pair<Index, Index>> sets;  // of each test: concept and random set of the pass

  // z̄·w over the inputs of a class.
  double first_order(std::size_t of_class, const Eigen::VectorXf& direction) const;
};
using OnLayer = std::function<void(const AnalysedLayer&)>;

// `about` holds the options and what the source knows (inputs, notes, times); libraries, notes and times are
// added to it. Results, cosines between CAVs, p-values corrected over everything tested; the CAVs themselves
// if `keep_cavs`. `on_layer` is called for each layer: the place for stages that look at inputs again
// (pipeline/interventions.h, position_maps.h).
RunResult analyse(std::span<const LayerData> layers, RunInfo about, const Progress& progress = {},
                  bool keep_cavs = false, const OnLayer& on_layer = {});

// The same of one layer whose concepts come in parts, because what all of them give at once would be more
// than memory should hold: differences of means, without pools. make(p) gives part p, which is forgotten
// before the next is made; all have the same classes and the same random examples.
struct LayerParts {
  Index count = 0;
  Index concepts = 0;  // of all parts
  std::function<LayerData(Index part)> make;
};
RunResult analyse(const LayerParts& parts, RunInfo about, const Progress& progress);

}  // namespace atcav
