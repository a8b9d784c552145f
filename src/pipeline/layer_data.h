#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atcav/matrix.h"
#include "pass/pass.h"
#include "pipeline/labels.h"
#include "pipeline/row_groups.h"

// One layer, ready to be analysed: what every source (arrays, a network with folders, given directions,
// Python) builds, and all that anything behind it knows.
namespace atcav {

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
};

struct LayerData {
  LayerNames names;
  MatrixF gradients;               // classes below each other
  std::optional<pass::Pass> pass;  // over the examples behind the CAVs; or else
  Matrix directions;               // concepts × d: directions that were given
  // A pool of examples whose labels are concepts too: one set.
  std::optional<pass::Pass> pool = {};
  std::shared_ptr<const PoolLabels> labels = {};
  std::shared_ptr<const RowGroups> groups = {};
  std::shared_ptr<const RowGroups> files = {};  // in place of groups the names of files, where rows have some
  // By set of the pass: what the classes ask of the logits (columns), for the set's first examples. Not there
  // for arrays. NaN where each input of a class has a target of its own.
  std::shared_ptr<const std::vector<Matrix>> logits = {};
};

}  // namespace atcav
