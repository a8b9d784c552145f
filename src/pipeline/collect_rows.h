#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "atcav/options.h"
#include "pipeline/layer_data.h"
#include "pipeline/layer_rows.h"
#include "pipeline/merge_passes.h"

// Class inputs and examples go through the network, block after block, into gradients and passes.
//
// In a run of several ranks (comm/comm.h) each computes its own units (pipeline/merge_passes.h). All calls
// are made by all ranks, and afterwards all have everything: gradients, passes, and the hashes of the rows.
namespace atcav {

struct CollectOptions {
  Options run = {};        // checked
  bool on_device = false;  // the network runs on one
  bool cached = false;     // rows may come from a cache, or kept ones: on the host
  Progress progress = {};
  bool groups = false;  // sums over many groups of examples are kept, for errors of what is tried out
  bool rows = false;    // and all rows, whatever the method
  // Which part of the rows this process has, where others are not waited for (pipeline/share.cpp). What
  // belongs to others is then not there, and a pass is what PassBuilder::finish_share gives. Without it ranks
  // share.
  std::optional<Part> share = {};
};

// Begins to read what comes behind the sets (pipeline/session.h); called once the last of them is begun.
using ReadOn = std::function<void()>;

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

// LayerData::random_rows by themselves, for passes that were made elsewhere (pipeline/merge_shares.cpp).
void collect_random_rows(Session& session, std::span<OpenedSet> sets, const std::vector<ClassTarget>& targets,
                         const CollectOptions& options, std::vector<LayerData>& layers);

// Where regions are asked for, activations of all class inputs once the passes are there:
// LayerData::class_rows.
void collect_class_rows(Session& session, std::vector<OpenedSet>& classes, const CollectOptions& options,
                        std::vector<LayerData>& layers);

// A pass over the sets of layers whose gradients are there: random first, or the pool alone. With targets
// also LayerData::logits, of kMostWithLogits examples of each set, which go through the whole network.
inline constexpr Index kMostWithLogits = 200;
void collect_passes(Session& session, std::span<OpenedSet> sets, const std::vector<ClassTarget>& targets,
                    const ReadOn& read_on, const CollectOptions& options, std::vector<LayerData>& layers,
                    std::optional<pass::Pass> LayerData::*into = &LayerData::pass);

}  // namespace atcav
