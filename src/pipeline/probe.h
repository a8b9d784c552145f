#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/file/cache.h"
#include "model/find_layer.h"
#include "model/inputs.h"
#include "atcav/model.h"
#include "atcav/config.h"
#include "atcav/result.h"

// The network of a run, asked once for each block of examples and never again: what the cache has is not
// computed, what is computed goes there. The network is opened at the first block that must be computed.
namespace atcav {

// A set of examples opened for a run, with the content behind each row known: that is what cache keys,
// warnings about duplicates and results.json are made of.
struct OpenedSet {
  std::string role;  // what messages and results.json call it: "concept 'striped'"
  std::string path;
  model::Inputs inputs;
  // One per row: of the image file, or of the row's values and their shape. Empty until the row was read,
  // unless there is a cache.
  std::vector<std::string> hashes;

  Index rows() const { return inputs.rows(); }
  Input describe() const;
};

struct ClassTarget {
  std::vector<Index> logits;   // one, or one per input
  std::optional<Index> minus;  // subtracted from it
  bool negative = false;       // the sign changed
};

class Probe {
 public:
  // `given`: the network itself, or null for the one in the file config.model. Finds the layers
  // (config.layers may hold patterns); std::invalid_argument for an unknown one and for two names of one
  // tensor. Sizes that the network leaves open are those of config.shape, or of the first array among the
  // examples.
  Probe(const Config& config, std::shared_ptr<model::Model> given);

  const model::Facts& facts() const { return facts_; }
  const std::string& engine() const { return engine_; }  // the library behind the numbers; may be empty
  const std::vector<model::FoundLayer>& layers() const { return found_; }
  const std::string& tensor(std::size_t layer) const { return facts_.layers[layers_[layer]].name; }
  Index columns(std::size_t layer) const;
  model::Pool pool() const { return pool_; }
  const model::InputOptions& reading() const { return input_options_; }
  // Examples to ask for at once.
  Index batch() const { return batch_; }

  // `given`: the examples themselves; without, they are in the file or folder `path`.
  OpenedSet open(const std::string& role, const std::string& path,
                 std::shared_ptr<model::ExampleSource> given = nullptr) const;
  // The target of a class with so many inputs, its file read. std::invalid_argument for outputs that the
  // network does not have.
  ClassTarget target(const ClassSet& set, Index inputs) const;

  // Begins to read the first rows of the set in the background, where they will be needed.
  void prepare(OpenedSet& set, Index rows) const;
  // Rows first … first+count-1 of the set at every layer.
  std::vector<RowsPtr> activations(OpenedSet& set, Index first, Index count);
  // The same for gradients; and behind the layers a column with 1 where the target is the network's largest
  // logit, 0 elsewhere.
  std::vector<RowsPtr> gradients(OpenedSet& set, Index first, Index count, const ClassTarget& target);

  // For interventions (pipeline/network_tail.h). The layer itself, without pooling; logits from there on.
  const model::Layer& layer(std::size_t layer) const { return facts_.layers[layers_[layer]]; }
  // Where the layer comes in the network, from 0 to 1.
  double depth(std::size_t layer) const {
    return static_cast<double>(layers_[layer]) / static_cast<double>(facts_.layers.size());
  }
  // All of one length (model::Inputs::groups).
  std::vector<model::InputBatch> read(OpenedSet& set, Index first, Index count);
  std::vector<model::InputBatch> read(OpenedSet& set, const std::vector<Index>& rows);
  RowsPtr whole_activations(std::size_t layer, const std::vector<model::InputBatch>& inputs);
  // At every layer.
  std::vector<RowsPtr> whole_activations(const std::vector<model::InputBatch>& inputs);
  MatrixF token_mask(const std::vector<model::InputBatch>& inputs) { return network().token_mask(inputs); }
  MatrixF logits_moved(std::size_t layer, const Rows& activations, const MatrixF& steps,
                       const std::vector<model::InputBatch>& inputs);
  // The cached matrix of this shape that belongs to the words `what`, or else computed and kept.
  MatrixF kept(const std::string& what, Index rows, Index columns, const std::function<MatrixF()>& compute);

  // Examples that went through the network, not found in the cache.
  Index examples_run() const { return examples_run_; }
  // What went wrong, with the cache or on a device, without being an error.
  std::vector<std::string> remarks() const;

 private:
  model::Facts find_facts(const Config& config);
  model::Model& network(std::size_t which = 0);
  Index fitting_batch(const Config& config) const;
  // `target` null: activations.
  std::vector<RowsPtr> cached(OpenedSet& set, Index first, Index count, const ClassTarget* target);
  std::vector<RowsPtr> computed(OpenedSet& set, Index first, Index count, const ClassTarget* target);
  std::vector<RowsPtr> asked(const std::string& role, const std::vector<model::InputBatch>& inputs,
                             const ClassTarget* target);

  std::string model_;  // the file, for messages
  std::function<std::shared_ptr<model::Model>(const std::string& device)> opener_;
  std::vector<std::string> devices_;
  std::vector<std::shared_ptr<model::Model>> networks_;  // one per device; null until it is needed
  std::size_t turn_ = 0;                                 // blocks computed
  Index batch_ = 1;
  std::string engine_;
  std::unique_ptr<io::Cache> cache_;
  model::InputOptions input_options_;
  model::Pool pool_;
  int threads_;
  model::Facts facts_;
  std::vector<model::FoundLayer> found_;
  std::vector<std::size_t> layers_;  // their positions
  std::string preprocessing_;        // everything about inputs that changes activations, in words
  Index examples_run_ = 0;
};

}  // namespace atcav
