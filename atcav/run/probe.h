#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atcav/io/cache.h"
#include "atcav/model/inputs.h"
#include "atcav/model/model.h"
#include "atcav/run/config.h"
#include "atcav/run/result.h"

// The network of a run, asked once for each block of examples and never again: what the cache has is not
// computed, what is computed goes there. The network is opened at the first block that must be computed.
namespace atcav {

// A set of examples opened for a run, with the content behind each row known: that is what cache keys,
// warnings about duplicates and results.json are made of.
struct OpenedSet {
  std::string role;  // what messages and results.json call it: "concept 'striped'"
  std::string path;
  model::Inputs inputs;
  // One per row: of the image file, or of the row's values and their shape. Of given examples a row's is
  // empty until it was read.
  std::vector<std::string> hashes;

  Index rows() const { return inputs.rows(); }
  Input describe() const;
};

// The examples that the caller has for what the configuration calls `path`; none: it is a file or a folder.
using OpenExamples = std::function<std::shared_ptr<model::ExampleSource>(const std::string& path)>;

class Probe {
 public:
  // `given`: the network itself, or null for the one in the file config.model. Finds the layers;
  // std::invalid_argument for an unknown one and for two names of one tensor.
  Probe(const Config& config, std::shared_ptr<model::Model> given, OpenExamples open_given = {});

  const model::Facts& facts() const { return facts_; }
  const std::string& engine() const { return engine_; }  // the library behind the numbers; may be empty
  Index columns(std::size_t layer) const;
  // Examples to ask for at once.
  Index batch() const { return batch_; }

  OpenedSet open(const std::string& role, const std::string& path) const;

  // Rows first … first+count-1 of the set at every layer.
  std::vector<RowsPtr> activations(OpenedSet& set, Index first, Index count);
  std::vector<RowsPtr> gradients(OpenedSet& set, Index first, Index count, Index target);

  // Examples that went through the network, not found in the cache.
  Index examples_run() const { return examples_run_; }
  // What went wrong, with the cache or on a device, without being an error.
  std::vector<std::string> remarks() const;

 private:
  model::Facts find_facts(const Config& config);
  model::Model& network(std::size_t which);
  Index fitting_batch(const Config& config) const;
  std::vector<RowsPtr> cached(OpenedSet& set, Index first, Index count, const std::string& what,
                              Index target);

  std::vector<model::InputBatch> read(OpenedSet& set, Index first, Index count);

  OpenExamples open_given_;
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
  std::vector<std::size_t> layers_;
  std::string preprocessing_;  // everything about inputs that changes activations, in words
  Index examples_run_ = 0;
};

// A sentence about examples of `set` whose content, under whatever name, is in one of the others too; one
// about copies within a set. Empty when there are none.
std::vector<std::string> shared_examples(std::span<const OpenedSet> others, const OpenedSet& set);
std::vector<std::string> copies_within(const OpenedSet& set);

}  // namespace atcav
