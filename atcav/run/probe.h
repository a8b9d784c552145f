#pragma once

#include <memory>
#include <string>
#include <vector>

#include "atcav/run/run_config.h"
#include "atcav/io/cache.h"
#include "atcav/run/example_files.h"
#include "atcav/model/model.h"

// The network of a run, asked once for each block of examples and never again: what the cache has is not
// computed, what is computed goes there.
namespace atcav {

class Probe {
 public:
  // Loads the model and finds the layers; std::invalid_argument for an unknown layer, pool or precision.
  explicit Probe(const Config& config);

  const nn::Model& model() const { return model_; }
  // As the user named them, and the columns of each.
  const std::vector<std::string>& layer_names() const { return names_; }
  Index columns(std::size_t layer) const { return model_.columns(layers_[layer], pool_); }
  Index batch() const { return batch_; }
  const std::string& model_hash() const { return model_hash_; }

  // Examples of a path, preprocessed as the configuration says.
  ExampleFiles open(const std::string& role, const std::string& path) const;

  // Rows first … first+count-1 of the set at every layer.
  std::vector<MatrixF> activations(ExampleFiles& set, Index first, Index count);
  std::vector<MatrixF> gradients(ExampleFiles& set, Index first, Index count, Index target);

  // Examples that went through the network, and how many blocks the cache gave instead.
  Index examples_run() const { return examples_run_; }
  const io::Cache* cache() const { return cache_.get(); }

 private:
  std::vector<MatrixF> cached(ExampleFiles& set, Index first, Index count, const std::string& what,
                              Index target);

  nn::InputOptions input_options_;
  nn::Pool pool_;
  std::unique_ptr<io::Cache> cache_;
  std::string model_hash_;
  nn::Model model_;
  std::vector<std::size_t> layers_;
  std::vector<std::string> names_;
  Index batch_;
  int threads_;
  std::string preprocessing_;  // everything about inputs that changes activations, in words
  Index examples_run_ = 0;
};

}  // namespace atcav
