#pragma once

#include <string>
#include <vector>

#include "pipeline/opened_set.h"
#include "pipeline/session.h"
#include "pipeline/targets.h"

// Inputs that directions are tried out on: their activations at the layers of a run, and what the network
// makes of other activations in their place.
namespace atcav {

struct InterventionBases {
  std::vector<OpenedSet>& sets;      // one per class, then random where there is one
  Index inputs = 0;                  // of each base, at most
  std::vector<std::string> labels;   // names of logits; missing ones are empty
  std::vector<ClassTarget> targets;  // of the classes; each has a column behind the logits
};

// The first inputs of one of the sets. They go through the network at the first question, once for all layers
// where those fit into a gigabyte together, else once for each layer.
class Base {
 public:
  // `number`: that of the class, or behind them.
  Base(Session& session, const InterventionBases& bases, std::size_t number);

  // Of one length, with the network's answers as they are.
  struct Block {
    std::vector<Index> rows;  // of the set
    std::vector<model::InputBatch> inputs;
    std::vector<RowsPtr> layers;  // not pooled
    MatrixF outputs;              // logits, and behind them what each class asks for
    MatrixF mask;
  };
  // At the layer, of what a class asks for: of a logit, or of the difference of two. Not pooled.
  struct Gradient {
    RowsPtr of;
    RowsPtr minus;  // or null
    double sign = 1;
    // What `linear` makes of it.
    template <typename Linear>
    auto through(const Linear& linear) const {
      auto found = linear(*of);
      if (minus) found -= linear(*minus);
      found *= sign;
      return found;
    }
  };
  struct Answer {
    MatrixF outputs;
    std::vector<Gradient> gradients;  // of each wanted class's column
  };

  Index inputs() const { return inputs_; }
  Index logits() const { return session_.facts.logit_count; }
  Index columns() const { return logits() + std::ssize(bases_.targets); }
  // Classes whose targets these inputs have: their own; of random ones all that are the same for all inputs.
  std::vector<std::size_t> askable() const;
  // For cache keys: what the answers at a layer depend on but the steps.
  std::string key(std::size_t layer) const;

  const std::vector<Block>& blocks(std::size_t layer);
  const Rows& activations(const Block& block, std::size_t layer) const;
  // The network from the layer on, with the activations moved there.
  Answer run(const Block& block, std::size_t layer, const model::Steps& steps,
             const std::vector<std::size_t>& wanted) const;

 private:
  OpenedSet& set() const { return bases_.sets[number_]; }
  MatrixF outputs(const std::vector<Index>& rows, const MatrixF& logits) const;
  void read(const std::vector<std::size_t>& positions);

  Session& session_;
  const InterventionBases& bases_;
  std::size_t number_;
  Index inputs_ = 0;
  std::vector<Index> sizes_;  // of what is read at once; a given source may have more than asked for
  bool all_layers_ = true;
  std::size_t layer_ = 0;  // whose activations are there, if not all
  std::vector<Block> blocks_;
};

}  // namespace atcav
