#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/run/options.h"
#include "atcav/run/result.h"
#include "atcav/span/pass.h"

// All concepts and classes of one layer, from one pass.
namespace atcav {

struct LayerNames {
  std::string layer;
  std::vector<std::string> concepts;  // sets 1, 2, … of the pass; set 0 is random
  struct Class {
    std::string name;
    Index inputs = 0;  // its rows of the gradients, class after class
  };
  std::vector<Class> classes;
  // Concept against concept: positions in `concepts`, the second plays random.
  std::vector<std::pair<Index, Index>> relative;
};

// What the pass must keep for these options, given the smallest set's number of rows.
span::PassOptions pass_options(const Options& options, Index smallest_set);

struct LayerResults {
  std::vector<Result>
      results;  // concepts within classes, in order, then the relative tests, "striped vs dotted"
  Entanglement entanglement;
};

// Corrected p-values are left to the caller, who has all layers.
// `done` is called after each result, by one thread at a time.
LayerResults analyse_pass(const span::Pass& pass, const MatrixFRef& gradients, const LayerNames& names,
                          const Options& options, const std::function<void()>& done);

}  // namespace atcav
