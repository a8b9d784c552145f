#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "atcav/groups.h"
#include "atcav/labels.h"
#include "atcav/matrix.h"

// What a run leaves behind of each example and each input: the responses z_j·(x_i - centre), how much example
// i moves the logit of input j to first order. Every effect is a linear function of them, so the influence of
// an example on it is its row's, that of an input its column's; groups, levels and comparisons can be chosen
// afterwards (atcav/reanalyse.h, atcav/compare.h) without the network.
namespace atcav {

struct LayerResponses {
  std::string layer;
  std::vector<Matrix> sets;  // random, then the concepts: inputs of all classes × examples
  Matrix pool;               // inputs × rows of the pool; empty without one
  Matrix pool_products;  // scored rows × rows of the pool, x_s·x_i around their mean; empty if not known
  std::vector<Index> zero_inputs;  // by class: inputs whose gradient is zero
};

struct Influences {
  struct Class {
    std::string name;
    Index inputs = 0;
  };
  std::vector<Class> classes;
  std::vector<std::string> concepts;
  std::vector<std::pair<Index, Index>> relative;  // places in `concepts`
  std::vector<std::string> columns;               // labels of the pool, and their values by row
  Matrix labels;
  RowGroups files;                  // names of the rows' files, where they have some
  RowGroups hashes;                 // SHA-256 of the rows' content, where it is known
  RowGroups groups;                 // as the run was told
  std::vector<std::string> strata;  // of the random rows
  std::vector<LayerResponses> layers;
};

// As the bytes of a safetensors file that belongs to the results.json with this SHA-256, and back.
// std::runtime_error for a file that is none or belongs to other results.
std::string influences_file(const Influences& influences, const std::string& results_sha256);
Influences read_influences(const std::string& path, const std::string& results_sha256);

}  // namespace atcav
