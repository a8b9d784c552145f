#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pipeline/own_blocks.h"

// Class inputs and examples go through the network, block after block, into gradients and passes.
//
// In a run of several ranks (comm/comm.h) each computes its own units (pipeline/merge_passes.h). All calls
// are made by all ranks, and afterwards all have everything: gradients, passes, and the hashes of the rows.
namespace atcav {

// Rows of one class after another: LayerData::gradients. Returns 1 for inputs whose largest logit is their
// class's, else 0.
Vector collect_gradients(Session& session, std::vector<OpenedSet>& classes,
                         const std::vector<ClassTarget>& targets, const ReadOn& read_on,
                         const CollectOptions& options, std::vector<LayerData>& layers);

// Of each class the mean of these, where there are several logits.
void note_top_shares(const Session& session, const std::vector<OpenedSet>& classes, const Vector& hits,
                     std::vector<LayerData>& layers);

// Who computes which gradients, and which rows of a pass over the sets of these layers, and how.
std::vector<Unit> gradient_units(const Session& session, std::span<const OpenedSet> classes,
                                 const CollectOptions& options);
MergeOptions pass_units(const Session& session, std::span<const OpenedSet> sets,
                        const std::vector<LayerData>& layers, const CollectOptions& options);

// A pass over the sets of layers whose gradients are there: random first, or the pool alone. With targets
// also LayerData::logits, of kMostWithLogits examples of each set, which go through the whole network.
void collect_passes(Session& session, std::span<OpenedSet> sets, const std::vector<ClassTarget>& targets,
                    const ReadOn& read_on, const CollectOptions& options, std::vector<LayerData>& layers,
                    std::optional<pass::Pass> LayerData::*into = &LayerData::pass);

}  // namespace atcav
