#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pass/source.h"
#include "pipeline/layer_data.h"

// From rows of arrays, in files or in memory, to the layer that is analysed.
namespace atcav {

// Rows from anywhere: what both ways in are made of.
struct RowSet {
  std::string name;         // as results call it; messages use rows->name()
  pass::RowSource* rows{};  // never null
};
struct ArraySources {
  RowSet random = {};
  std::vector<RowSet> concepts;   // at least two rows each
  std::vector<RowSet> gradients;  // one per class, at least one row each
  std::string layer;
  std::vector<std::pair<Index, Index>> relative;  // as LayerNames::relative
  RowSet pool = {};
  std::shared_ptr<const PoolLabels> labels = {};

  Index smallest_set = 0;  // of a part of the concepts: the smallest of all; 0: these are all

  pass::RowSource& first() const { return random.rows != nullptr ? *random.rows : *pool.rows; }
  Index smallest() const {
    Index smallest = smallest_set > 0 ? smallest_set : random.rows->rows();
    for (const RowSet& set : concepts) smallest = std::min(smallest, set.rows->rows());
    return smallest;
  }
};

// Reads the gradients and makes the passes over examples and pool.
LayerData collect_arrays(const ArraySources& sources, const Config& config, RunInfo& about,
                         const Progress& progress);

}  // namespace atcav
