#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atcav/config.h"
#include "atcav/labels.h"
#include "atcav/matrix.h"
#include "atcav/progress.h"
#include "atcav/result.h"

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

// A pool of examples with labels as concepts, by itself or beside others.
struct LabelledRows {
  MatrixFRef rows;
  LabelTable labels;
};
struct Arrays {
  std::vector<NamedRows> concepts = {};
  std::optional<MatrixFRef> random = {};
  std::vector<NamedRows> gradients = {};
  std::optional<LabelledRows> pool = {};
};
// `config` holds what is no array: options, groups, a name of the layer.
RunResult score(const Arrays& arrays, const Config& config, const Progress& progress = {},
                bool keep_cavs = false);

// The same from the files that config.concepts, config.random and config.gradients name (.npy,
// .safetensors[:tensor]), read in batches: what `atcav score` does. Besides: std::runtime_error for files
// that cannot be read.
RunResult score(const Config& config, const Progress& progress = {});

}  // namespace atcav
