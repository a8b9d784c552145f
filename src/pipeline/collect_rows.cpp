#include "pipeline/collect_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <utility>

#include "comm/comm.h"
#include "core/check.h"
#include "core/parallel.h"
#include "pipeline/analyse.h"
#include "pipeline/block_adder.h"
#include "pipeline/kept_inputs.h"
#include "pipeline/score_concept.h"

namespace atcav {
namespace {

void check_gradients(const std::string& what, const MatrixFRef& rows, Index first, int threads) {
  std::atomic<bool> finite{true};
  parallel_for(rows.rows(), threads, [&](Index row) {
    if (!all_finite({rows.row(row).data(), static_cast<std::size_t>(rows.cols())})) finite = false;
  });
  if (!finite) check_finite("run", what, rows, first);
}

}  // namespace

std::vector<Unit> gradient_units(const Session& session, std::span<const OpenedSet> classes,
                                 const CollectOptions& options) {
  return units_of(session, classes, 1, options);
}

Vector collect_gradients(Session& session, std::vector<OpenedSet>& classes,
                         const std::vector<ClassTarget>& targets, const ReadOn& read_on,
                         const CollectOptions& options, std::vector<LayerData>& layers) {
  std::vector<Index> places = {0};  // where each class begins
  for (const OpenedSet& set : classes) places.push_back(places.back() + set.rows());
  for (std::size_t i = 0; i < layers.size(); ++i)
    layers[i].gradients.resize(places.back(), session.layers[i].columns);
  // Memory that was never touched is slow to copy into, so all threads touch it while a GPU is busy.
  std::future<void> touching;
  if (options.on_device) {
    touching = in_background([&] {
      for (LayerData& layer : layers) {
        parallel_for(layer.gradients.rows(), options.run.threads,
                     [&](Index row) { layer.gradients.row(row).setZero(); });
      }
    });
  }
  const Part part = own_part(options);
  const std::vector<Unit> units = gradient_units(session, classes, options);
  ShareProgress progress(options.progress, "gradients", units, part);
  Vector hits = Vector::Zero(places.back());  // 1 where the target is the largest logit
  each_own_block(session, classes, read_on, units, part, [&](const Unit& unit, Index first, Index count) {
    const auto k = static_cast<std::size_t>(unit.set);
    const std::vector<RowsPtr> blocks = layer_gradients(session, classes[k], first, count, targets[k]);
    if (touching.valid()) touching.get();
    const Index place = places[k] + first;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      auto rows = layers[i].gradients.middleRows(place, count);
      blocks[i]->copy_to(rows);
      check_gradients(fmt::format("gradient of {} at {}", classes[k].name(), layers[i].names.layer), rows,
                      first, options.run.threads);
    }
    hits.segment(place, count) = blocks.back()->host().col(0).cast<double>();
    progress.add(count);
  });
  if (touching.valid()) touching.get();
  for (const Unit& unit : units) {
    const Index place = places[unit.set] + unit.first;
    for (LayerData& layer : layers)
      comm::broadcast_values(layer.gradients.middleRows(place, unit.rows), unit.owner);
    comm::broadcast_values(hits.segment(place, unit.rows), unit.owner);
  }
  if (comm::size() > 1) share_hashes(classes, units);
  return hits;
}

void note_top_shares(const Session& session, const std::vector<OpenedSet>& classes, const Vector& hits,
                     std::vector<LayerData>& layers) {
  if (session.facts.logit_count <= 1) return;
  Index first = 0;
  for (std::size_t k = 0; k < classes.size(); first += classes[k++].rows()) {
    for (LayerData& layer : layers)
      layer.names.classes[k].top_share = hits.segment(first, classes[k].rows()).mean();
  }
}

MergeOptions pass_units(const Session& session, std::span<const OpenedSet> sets,
                        const std::vector<LayerData>& layers, const CollectOptions& options) {
  constexpr Index kUnitRows = 128;
  const std::vector<Index> rows = row_counts(sets);
  MergeOptions shares{units_of(session, sets, kUnitRows, options),
                      {},
                      pass_options(options.run, *std::ranges::min_element(rows))};
  shares.pass.gram = shares.pass.gram || options.rows;
  shares.pass.input_groups = input_groups(layers.front().names.classes);
  if (options.groups) {
    constexpr Index kWide = Index{1} << 17;  // columns; sums of 20 groups would take 40 MB for each set
    const auto wide = [](const LayerData& layer) { return layer.gradients.cols() > kWide; };
    shares.pass.groups_in_fold = std::ranges::any_of(layers, wide) ? 2 : 4;
  }
  for (std::size_t k = 1; k < sets.size(); ++k) shares.pairs.emplace_back(static_cast<Index>(k), 0);
  if (sets.size() > 1) {
    for (const auto& [first, second] : layers.front().names.relative)
      shares.pairs.emplace_back(first + 1, second + 1);
  }
  return shares;
}

void collect_passes(Session& session, std::span<OpenedSet> sets, const std::vector<ClassTarget>& targets,
                    const ReadOn& read_on, const CollectOptions& options, std::vector<LayerData>& layers,
                    std::optional<pass::Pass> LayerData::*into) {
  const Part part = own_part(options);
  const MergeOptions shares = pass_units(session, sets, layers, options);
  ShareProgress progress(options.progress, "examples", shares.units, part);
  BlockAdder adder(session, sets, layers, shares, options);
  SetLogits logits(sets, targets);
  const KeptLayers random = keep_random(layers, sets, targets);
  each_own_block(session, sets, read_on, shares.units, part, [&](const Unit& unit, Index first, Index count) {
    const bool with_logits = logits.wanted(first);
    Block block{unit, first, layer_activations(session, sets[unit.set], first, count, with_logits)};
    if (with_logits) {
      logits.add(unit.set, first, block.layers.back()->host());
      block.layers.pop_back();
      for (std::size_t i = 0; unit.set == 0 && i < random.size(); ++i)
        random[i]->add(first, *block.layers[i]);
    }
    progress.add(count);
    adder.add(std::move(block));
  });
  adder.settle();
  if (comm::size() > 1) {
    share_hashes(sets, shares.units);
    logits.share(shares.units);
    for (const Unit& unit : shares.units) {
      for (const auto& kept : random)
        if (unit.set == 0) kept->share(unit.first, unit.rows, unit.owner);
    }
  }
  const auto of_sets = logits.take();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!targets.empty()) layers[i].logits = of_sets;
    if (!random.empty()) layers[i].random_rows = random[i];
    layers[i].*into = adder.finish(i);
  }
}

}  // namespace atcav
