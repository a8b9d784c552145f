#include "pipeline/kept_inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "comm/comm.h"
#include "pipeline/explain_classes.h"

namespace atcav {

SetLogits::SetLogits(std::span<const OpenedSet> sets, const std::vector<ClassTarget>& targets)
    : targets_(targets) {
  for (const OpenedSet& set : sets)
    values_.emplace_back(Matrix::Zero(std::min(set.rows(), kMostWithLogits), std::ssize(targets)));
}

void SetLogits::add(Index set, Index first, const MatrixF& logits) {
  Matrix& values = values_[set];
  const Index count = std::min(logits.rows(), values.rows() - first);
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    auto column = values.col(static_cast<Index>(k)).segment(first, count);
    if (targets_[k].per_input())
      column.setConstant(std::nan(""));
    else
      column = targets_[k].values(logits, first).head(count).cast<double>();
  }
}

void SetLogits::share(const std::vector<Unit>& units) {
  for (const Unit& unit : units) {
    Matrix& values = values_[unit.set];
    if (unit.first < values.rows())
      comm::broadcast_values(values.middleRows(unit.first, std::min(unit.rows, values.rows() - unit.first)),
                             unit.owner);
  }
}

std::shared_ptr<const std::vector<Matrix>> SetLogits::take() {
  return std::make_shared<const std::vector<Matrix>>(std::move(values_));
}

KeptLayers keep_random(const std::vector<LayerData>& layers, std::span<const OpenedSet> sets,
                       const std::vector<ClassTarget>& targets) {
  KeptLayers kept;
  if (targets.empty() || sets.front().role.kind != Role::Kind::kRandom) return kept;
  const auto rows = static_cast<double>(std::min(sets.front().rows(), kMostWithLogits));
  for (const LayerData& layer : layers) {
    const auto columns = static_cast<double>(layer.gradients.cols());
    const double fitting = std::min(rows, kMostExplainedBytes / (sizeof(float) * columns));
    kept.push_back(std::make_shared<KeptRows>(static_cast<Index>(fitting), layer.gradients.cols()));
  }
  return kept;
}

void collect_random_rows(Session& session, std::span<OpenedSet> sets, const std::vector<ClassTarget>& targets,
                         const std::vector<Unit>& all, const CollectOptions& options,
                         std::vector<LayerData>& layers) {
  const KeptLayers random = keep_random(layers, sets, targets);
  if (random.empty()) return;
  std::vector<Unit> units = all;
  std::erase_if(units, [](const Unit& unit) { return unit.set != 0 || unit.first >= kMostWithLogits; });
  const ReadOn nothing_more = [] {};
  each_own_block(session, sets, nothing_more, units, own_part(options),
                 [&](const Unit& /*unit*/, Index first, Index count) {
                   if (first >= kMostWithLogits) return;
                   const std::vector<RowsPtr> blocks =
                       layer_activations(session, sets.front(), first, count, true);
                   for (std::size_t i = 0; i < random.size(); ++i) random[i]->add(first, *blocks[i]);
                 });
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].random_rows = random[i];
}

void collect_class_rows(Session& session, std::vector<OpenedSet>& classes, const CollectOptions& options,
                        std::vector<LayerData>& layers) {
  // Inputs from code may come shuffled: they are not asked for twice.
  const auto is_given = [](const OpenedSet& set) { return !set.inputs.stored(); };
  if (!options.run.regions || !layers.front().pass || std::ranges::any_of(classes, is_given)) return;
  std::vector<Index> places = {0};
  for (const OpenedSet& set : classes) places.push_back(places.back() + set.rows());
  KeptLayers kept;
  for (const LayerData& layer : layers)
    kept.push_back(std::make_shared<KeptRows>(places.back(), layer.gradients.cols()));
  const std::vector<Unit> units = units_of(session, classes, 1, options);
  ShareProgress progress(options.progress, "regions", units, own_part(options));
  const ReadOn nothing_more = [] {};
  each_own_block(session, classes, nothing_more, units, own_part(options),
                 [&](const Unit& unit, Index first, Index count) {
                   const std::vector<RowsPtr> blocks =
                       layer_activations(session, classes[unit.set], first, count);
                   for (std::size_t i = 0; i < layers.size(); ++i)
                     kept[i]->add(places[unit.set] + first, *blocks[i]);
                   progress.add(count);
                 });
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const Unit& unit : units) {
      if (comm::size() > 1) kept[i]->share(places[unit.set] + unit.first, unit.rows, unit.owner);
    }
    layers[i].class_rows = kept[i];
  }
}

}  // namespace atcav
