#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/groups.h"
#include "atcav/matrix.h"
#include "pass/pass.h"
#include "pipeline/labels.h"

// One layer, ready to be analysed: what every source (arrays, a network with folders, given directions,
// Python) builds, and all that anything behind it knows.
namespace atcav {

class KeptRows;

struct LayerNames {
  std::string layer;
  std::vector<std::string> concepts;  // sets 1, 2, … of the pass (set 0 is random), or rows of the directions
  struct Class {
    std::string name;
    Index inputs = 0;  // its rows of the gradients, class after class
    // Share of the inputs for which the network's largest logit is the class's; where there are several
    // logits.
    std::optional<double> top_share = {};
  };
  std::vector<Class> classes;
  // Concept against concept: positions in `concepts`, the second plays random.
  std::vector<std::pair<Index, Index>> relative;
  std::string tensor = {};  // of the network, that `layer` was found to mean; empty for arrays

  Index first_input(std::size_t of_class) const {
    Index first = 0;
    for (std::size_t k = 0; k < of_class; ++k) first += classes[k].inputs;
    return first;
  }
};

struct LayerData {
  LayerNames names;
  MatrixF gradients;               // classes below each other
  std::optional<pass::Pass> pass;  // over the examples behind the CAVs; or else
  Matrix directions;               // concepts × d: directions that were given
  // A pool of examples whose labels are concepts too: one set.
  std::optional<pass::Pass> pool = {};
  std::shared_ptr<const PoolLabels> labels = {};
  Matrix pool_products = {};  // x_s·x_i around their mean, scored rows × all rows (stats/label_encoding.h)
  std::shared_ptr<const RowGroups> groups = {};
  std::shared_ptr<const RowGroups> files = {};  // names of files, where rows have some
  // By set of the pass: what the classes ask of the logits (columns), for the set's first examples. Not there
  // for arrays. NaN where each input of a class has a target of its own.
  std::shared_ptr<const std::vector<Matrix>> logits = {};
  // Of those of the random set the activations (pipeline/explain_classes.h); of all class inputs, one class
  // after another, where regions are asked for.
  std::shared_ptr<const KeptRows> random_rows = {};
  std::shared_ptr<const KeptRows> class_rows = {};
  // Of the random rows the part of the set that each belongs to (subfolders); null without parts.
  std::shared_ptr<const std::vector<std::string>> strata = {};
  // By class the inputs whose gradient is zero, where the gradients are gone (atcav/influences.h).
  std::vector<Index> zero_inputs = {};

  // Looks no further than the first number of a row that is not 0.
  Index zero_gradients(std::size_t of_class) const {
    if (!zero_inputs.empty()) return zero_inputs[of_class];
    const Index first = names.first_input(of_class);
    Index zero = 0;
    for (Index row = first; row < first + names.classes[of_class].inputs; ++row)
      zero += std::ranges::all_of(gradients.row(row), [](float value) { return value == 0; }) ? 1 : 0;
    return zero;
  }
};

}  // namespace atcav
