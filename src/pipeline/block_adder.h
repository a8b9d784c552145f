#pragma once

#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pass/pass_builder.h"
#include "pipeline/own_blocks.h"

// Blocks of activations into the passes of all layers, one after the other.
namespace atcav {

// Rows of one block, by layer.
struct Block {
  Unit unit;
  Index first = 0;
  std::vector<RowsPtr> layers;
};

// One block is added up while the next is in the network; the end of this object waits for it. A GPU does
// both anyway, and its precision belongs to the process: there one thread hands over network and pass in
// turn. Runs with a cache add up on the host, too.
//
// Passes need a centre, which the process with the first unit finds. Other ranks keep their blocks until they
// hear of it; a part of a run in files finds it by itself, from the same rows.
class BlockAdder {
 public:
  BlockAdder(Session& session, std::span<OpenedSet> sets, const std::vector<LayerData>& layers,
             const MergeOptions& shares, const CollectOptions& options);

  // Blocks of the process's own units, in order.
  void add(Block block);
  // The pass of a layer, once all are added: whole, of a part in a file, or merged between ranks.
  pass::Pass finish(std::size_t layer);
  // All blocks are there: nothing is in the air.
  void settle();

 private:
  void start();

  Session* session_;
  std::span<OpenedSet> sets_;
  const std::vector<LayerData>* layers_;
  const MergeOptions* shares_;
  const CollectOptions* options_;
  pass::StartBackend start_pass_;
  std::vector<std::unique_ptr<pass::PassBuilder>> builders_;
  bool started_;
  std::vector<Block> early_;  // on other ranks, before they know the centres
  Block in_hand_;
  std::future<void> adding_;
};

}  // namespace atcav
