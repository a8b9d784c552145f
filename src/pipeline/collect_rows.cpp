#include "pipeline/collect_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "comm/comm.h"
#include "core/check.h"
#include "core/parallel.h"
#include "pass/cpu_backend.h"
#include "pass/pass_builder.h"
#include "pipeline/analyse.h"
#include "pipeline/explain_classes.h"
#include "pipeline/kept_rows.h"
#include "pipeline/score_concept.h"

namespace atcav {
namespace {

Part own_part(const CollectOptions& options) {
  return options.share.value_or(Part{comm::rank(), comm::size()});
}

// With others, which add up on the host as with a cache: what was computed, found or sent gives the same
// bytes.
bool is_shared(const CollectOptions& options) { return options.share || comm::size() > 1; }

std::vector<Index> row_counts(std::span<const OpenedSet> sets) {
  std::vector<Index> rows;
  rows.reserve(sets.size());
  for (const OpenedSet& set : sets) rows.push_back(set.rows());
  return rows;
}

// Units of whole blocks, and about as many rows as a pass multiplies at once. Batches of code's own are not
// to be cut; on a device, where one process computes all, a set is one unit.
std::vector<Unit> units_of(const Session& session, std::span<const OpenedSet> sets, Index least,
                           const CollectOptions& options) {
  const std::vector<Index> rows = row_counts(sets);
  Index step = session.batch * ((least + session.batch - 1) / session.batch);
  const auto fixed =
      std::ranges::find_if(sets, [](const OpenedSet& set) { return !set.inputs.has_any_order(); });
  const bool some_given =
      std::ranges::any_of(sets, [](const OpenedSet& set) { return set.inputs.is_given(); });
  if (fixed != sets.end() && is_shared(options)) {
    fail_argument(
        "run", fmt::format("{}: its batches come in an order of their own, so processes cannot share them; "
                           "expected files, arrays, tensors or a Dataset",
                           fixed->name()));
  }
  if (fixed != sets.end() || (some_given && options.on_device && !is_shared(options)))
    step = *std::ranges::max_element(rows);
  return deal_units(rows, step, own_part(options).of);
}

// body(unit, first, count) for each block of this part's units; while it is worked on the next is read.
template <typename Body>
void each_own_block(const Session& session, std::span<OpenedSet> sets, const ReadOn& read_on,
                    const std::vector<Unit>& units, const Part& part, Body body) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const Unit& unit = units[u];
    if (unit.owner != part.number) continue;
    const auto s = static_cast<std::size_t>(unit.set);
    if (unit.first == 0 && part.of == 1) {
      if (s + 1 < sets.size())
        prepare(session, sets[s + 1], session.batch);
      else
        read_on();
    }
    const Index end = unit.first + unit.rows;
    const bool goes_on = u + 1 < units.size() && units[u + 1].owner == unit.owner;
    Index count = 0;
    for (Index first = unit.first; first < end; first += count) {
      count = std::min(sets[s].inputs.block(first, session.batch), end - first);
      // Behind the last unit of a part come other parts' rows: none.
      sets[s].inputs.expect(first + count < end || goes_on ? first + count : sets[s].rows());
      body(unit, first, count);
    }
  }
}

// Rows show their content when they are read, which is on one rank.
void share_hashes(std::span<OpenedSet> sets, const std::vector<Unit>& units) {
  constexpr std::size_t kLength = 64;
  for (const Unit& unit : units) {
    const auto hashes =
        std::span(sets[unit.set].hashes)
            .subspan(static_cast<std::size_t>(unit.first), static_cast<std::size_t>(unit.rows));
    std::string all;
    for (const std::string& hash : hashes) all += hash;
    all.resize(kLength * hashes.size());
    comm::broadcast_values(all, unit.owner);
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = all.substr(i * kLength, kLength);
  }
}

void check_gradients(const std::string& what, const MatrixFRef& rows, Index first, int threads) {
  std::atomic<bool> finite{true};
  parallel_for(rows.rows(), threads, [&](Index row) {
    if (!all_finite({rows.row(row).data(), static_cast<std::size_t>(rows.cols())})) finite = false;
  });
  if (!finite) check_finite("run", what, rows, first);
}

// Says how far rank 0, or a part by itself, is with its own share.
class ShareProgress {
 public:
  ShareProgress(const Progress& progress, std::string stage, const std::vector<Unit>& units, const Part& part)
      : progress_(progress), stage_(std::move(stage)) {
    for (const Unit& unit : units) total_ += unit.owner == part.number ? unit.rows : 0;
  }
  void add(Index count) {
    done_ += count;
    if (progress_ && comm::rank() == 0) progress_(stage_, done_, total_);
  }

 private:
  const Progress& progress_;
  std::string stage_;
  Index done_ = 0;
  Index total_ = 0;
};

using Builders = std::vector<std::unique_ptr<pass::PassBuilder>>;

// Rows of one block, by layer.
struct Block {
  Unit unit;
  Index first = 0;
  std::vector<RowsPtr> layers;
};

void add_block(const Builders& builders, const Block& block) {
  for (std::size_t i = 0; i < builders.size(); ++i) {
    if (block.first == block.unit.first) builders[i]->continue_at(block.unit.set, block.first);
    builders[i]->add(block.unit.set, *block.layers[i]);
  }
}

// Moments are of all rows: `shared` passes keep projections until they are merged.
Builders make_builders(const std::vector<LayerData>& layers, std::span<const OpenedSet> sets,
                       pass::PassOptions options, const std::vector<Eigen::VectorXf>& centres,
                       const pass::StartBackend& start, bool shared) {
  std::vector<pass::SetShape> shapes;
  shapes.reserve(sets.size());
  for (const OpenedSet& set : sets) shapes.push_back({set.name(), set.rows(), nullptr});
  if (shared) options.moments_only = false;
  Builders builders;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!centres.empty()) options.centre = centres[i];
    builders.push_back(std::make_unique<pass::PassBuilder>(layers[i].gradients, shapes, options, start));
  }
  return builders;
}

// The centres of rank 0, which has the first unit.
std::vector<Eigen::VectorXf> share_centres(const std::vector<LayerData>& layers, const Builders& builders,
                                           const Unit& first) {
  std::vector<Eigen::VectorXf> centres;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (comm::rank() == 0) builders[i]->continue_at(first.set, first.rows);
    centres.push_back(comm::rank() == 0 ? builders[i]->centre()
                                        : Eigen::VectorXf(layers[i].gradients.cols()));
    comm::broadcast_values(centres.back(), 0);
  }
  return centres;
}

// The centres that the part with the first unit finds, for one that has others: from the blocks that they
// depend on (pass/cpu_backend.h).
std::vector<Eigen::VectorXf> find_centres(Session& session, std::span<OpenedSet> sets,
                                          const std::vector<LayerData>& layers, const MergeOptions& shares) {
  pass::PassOptions options = shares.pass;
  options.gram = false;
  const Unit& unit = shares.units.front();
  const Builders builders = make_builders(layers, sets.first(1), options, {}, {}, true);
  const Index wanted = std::min(pass::kPilotRows, unit.rows);
  Index count = 0;
  for (Index first = 0; first < wanted; first += count) {
    count = std::min(session.batch, unit.rows - first);
    sets.front().inputs.expect(first + count < wanted ? first + count : sets.front().rows());
    add_block(builders, {unit, first, layer_activations(session, sets.front(), first, count)});
  }
  std::vector<Eigen::VectorXf> centres;
  for (const auto& builder : builders) {
    builder->continue_at(unit.set, unit.rows);
    centres.push_back(builder->centre());
  }
  return centres;
}

// What classes ask of the logits of each set's first examples.
class SetLogits {
 public:
  SetLogits(std::span<const OpenedSet> sets, const std::vector<ClassTarget>& targets) : targets_(targets) {
    for (const OpenedSet& set : sets)
      values_.emplace_back(Matrix::Zero(std::min(set.rows(), kMostWithLogits), std::ssize(targets)));
  }

  bool wanted(Index first) const { return !targets_.empty() && first < kMostWithLogits; }

  void add(Index set, Index first, const MatrixF& logits) {
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

  void share(const std::vector<Unit>& units) {
    for (const Unit& unit : units) {
      Matrix& values = values_[unit.set];
      if (unit.first < values.rows())
        comm::broadcast_values(values.middleRows(unit.first, std::min(unit.rows, values.rows() - unit.first)),
                               unit.owner);
    }
  }

  std::shared_ptr<const std::vector<Matrix>> take() {
    return std::make_shared<const std::vector<Matrix>>(std::move(values_));
  }

 private:
  const std::vector<ClassTarget>& targets_;
  std::vector<Matrix> values_;
};

// Activations of random inputs whose logits are asked for, by layer; none where there is no random set.
using KeptLayers = std::vector<std::shared_ptr<KeptRows>>;

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
  // One block is added up while the next is in the network; leaving this scope waits for it. A GPU does
  // both anyway, and its precision belongs to the process: there one thread hands over network and pass in
  // turn. Runs with a cache add up on the host, too.
  const auto when = options.on_device ? std::launch::deferred : std::launch::async | std::launch::deferred;
  pass::StartBackend start_pass;
  if (!options.cached && !is_shared(options))
    start_pass = [&session](const pass::BackendOptions& about, const Rows& first) {
      return session.networks->first().start_pass(about, first);
    };
  ShareProgress progress(options.progress, "examples", shares.units, part);
  Builders builders;
  if (part.number == 0 || options.share) {
    const auto centres =
        part.number == 0 ? std::vector<Eigen::VectorXf>() : find_centres(session, sets, layers, shares);
    builders = make_builders(layers, sets, shares.pass, centres, start_pass, is_shared(options));
  }
  std::vector<Block> early;  // on other ranks, before they know the centres
  Block in_hand;
  std::future<void> adding;
  bool started = comm::size() == 1;
  const auto start = [&] {
    if (adding.valid()) adding.get();
    const auto centres = share_centres(layers, builders, shares.units.front());
    started = true;
    if (comm::rank() == 0) return;
    builders = make_builders(layers, sets, shares.pass, centres, start_pass, true);
    for (const Block& block : std::exchange(early, {})) add_block(builders, block);
  };
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
    if (builders.empty()) {
      early.push_back(std::move(block));
    } else {
      if (adding.valid()) adding.get();
      in_hand = std::move(block);
      adding = std::async(when, [&] { add_block(builders, in_hand); });
    }
    if (!started && first + count == unit.first + unit.rows) start();
  });
  if (!started) start();
  if (adding.valid()) adding.get();
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
    if (options.share)
      layers[i].*into = builders[i]->finish_share();
    else if (comm::size() == 1)
      layers[i].*into = builders[i]->finish();
    else
      layers[i].*into = merge_passes(builders[i]->finish_share(), shares);
    builders[i].reset();
  }
}

void collect_random_rows(Session& session, std::span<OpenedSet> sets, const std::vector<ClassTarget>& targets,
                         const CollectOptions& options, std::vector<LayerData>& layers) {
  const KeptLayers random = keep_random(layers, sets, targets);
  if (random.empty()) return;
  std::vector<Unit> units = pass_units(session, sets, layers, options).units;
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
  const auto is_given = [](const OpenedSet& set) { return set.inputs.is_given(); };
  if (!options.run.regions || !layers.front().pass || std::ranges::any_of(classes, is_given)) return;
  std::vector<Index> places = {0};
  for (const OpenedSet& set : classes) places.push_back(places.back() + set.rows());
  KeptLayers kept;
  for (const LayerData& layer : layers)
    kept.push_back(std::make_shared<KeptRows>(places.back(), layer.gradients.cols()));
  const std::vector<Unit> units = units_of(session, classes, 1, options);
  ShareProgress progress(options.progress, "regions", units);
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
