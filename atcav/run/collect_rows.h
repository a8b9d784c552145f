#pragma once

#include <vector>

#include "atcav/run/layer_data.h"
#include "atcav/run/options.h"
#include "atcav/run/probe.h"
#include "atcav/run/progress.h"

// Class inputs and examples go through the network, block after block, into gradients and passes.
//
// In a run of several ranks (comm/comm.h) each computes its own units (run/rank_units.h). All calls are made
// by all ranks, and afterwards all have everything: gradients, passes, and the hashes of the rows.
namespace atcav {

struct CollectOptions {
  Options run = {};        // checked
  bool on_device = false;  // the network runs on one
  bool cached = false;     // a cache is used
  Progress progress = {};
};

// Rows of one class after another: LayerData::gradients, and top_share of each class. `next`: the set that
// will be read after them and can be begun with, or nullptr.
void collect_gradients(Probe& probe, std::vector<OpenedSet>& classes, const std::vector<ClassTarget>& targets,
                       OpenedSet* next, const CollectOptions& options, std::vector<LayerData>& layers);

// LayerData::pass over the sets, random first, whose gradients are there.
void collect_passes(Probe& probe, std::vector<OpenedSet>& sets, const CollectOptions& options,
                    std::vector<LayerData>& layers);

}  // namespace atcav
