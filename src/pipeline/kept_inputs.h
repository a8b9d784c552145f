#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pipeline/kept_rows.h"
#include "pipeline/own_blocks.h"
#include "pipeline/targets.h"

// What is kept of few inputs, beyond what a pass keeps of all: logits, and activations that are asked about
// once directions are known.
namespace atcav {

inline constexpr Index kMostWithLogits = 200;  // examples of each set that go through the whole network

// What classes ask of the logits of each set's first examples.
class SetLogits {
 public:
  SetLogits(std::span<const OpenedSet> sets, const std::vector<ClassTarget>& targets);
  bool wanted(Index first) const { return !targets_.empty() && first < kMostWithLogits; }
  void add(Index set, Index first, const MatrixF& logits);
  // In a run of several ranks: those that the owners of the units have seen.
  void share(const std::vector<Unit>& units);
  std::shared_ptr<const std::vector<Matrix>> take();

 private:
  const std::vector<ClassTarget>& targets_;
  std::vector<Matrix> values_;
};

// Activations of random inputs whose logits are asked for, by layer; none where there is no random set.
using KeptLayers = std::vector<std::shared_ptr<KeptRows>>;

KeptLayers keep_random(const std::vector<LayerData>& layers, std::span<const OpenedSet> sets,
                       const std::vector<ClassTarget>& targets);

// LayerData::random_rows by themselves, for passes that were made elsewhere (pipeline/merge_shares.cpp).
void collect_random_rows(Session& session, std::span<OpenedSet> sets, const std::vector<ClassTarget>& targets,
                         const std::vector<Unit>& units, const CollectOptions& options,
                         std::vector<LayerData>& layers);

// Where regions are asked for, activations of all class inputs once the passes are there:
// LayerData::class_rows.
void collect_class_rows(Session& session, std::vector<OpenedSet>& classes, const CollectOptions& options,
                        std::vector<LayerData>& layers);

}  // namespace atcav
