#pragma once

#include <string>
#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "atcav/config.h"
#include "pipeline/layer_data.h"
#include "atcav/progress.h"
#include "atcav/result.h"
#include "pass/source.h"

// Scores from activations and gradients that are there already, in memory or in files.
//
//   RunResult found = score({{"striped", striped}}, random, {{"zebra", gradients}}, {});
//   found.results[0].score();      // α-TCAV with α†
//   found.results[0].interval();   // and its 95 % interval
//
// Rows are examples: n × d activations of concept and random examples, m × d gradients of a class's logit at
// the same layer, one row per class input.
namespace atcav {

struct NamedRows {
  std::string name;
  MatrixFRef rows;
};

// Throws std::invalid_argument for rows that do not fit together or are not finite.
RunResult score(const std::vector<NamedRows>& concepts, const MatrixFRef& random,
                const std::vector<NamedRows>& gradients, const Options& options,
                const std::string& layer = "", const Progress& progress = {}, bool keep_cavs = false);

// The same from the files that config.concepts, config.random and config.gradients name (.npy,
// .safetensors[:tensor]), read in batches: what `atcav score` does. Besides: std::runtime_error for files
// that cannot be read.
RunResult score(const Config& config, const Progress& progress = {});

// Rows from anywhere: what both are made of.
struct RowSet {
  std::string name;         // as results call it; messages use rows->name()
  span::RowSource* rows{};  // never null
};
struct ArraySources {
  RowSet random;
  std::vector<RowSet> concepts;   // at least one, at least two rows each
  std::vector<RowSet> gradients;  // one per class, at least one row each
  std::string layer;
  std::vector<std::pair<Index, Index>> relative;  // as LayerNames::relative
};
LayerData collect(const ArraySources& sources, const Options& options, const Progress& progress);

}  // namespace atcav
