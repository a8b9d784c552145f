#include "pipeline/block_adder.h"

#include <algorithm>
#include <utility>

#include "comm/comm.h"
#include "pass/cpu_backend.h"

namespace atcav {
namespace {

using Builders = std::vector<std::unique_ptr<pass::PassBuilder>>;

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

}  // namespace

BlockAdder::BlockAdder(Session& session, std::span<OpenedSet> sets, const std::vector<LayerData>& layers,
                       const MergeOptions& shares, const CollectOptions& options)
    : session_(&session),
      sets_(sets),
      layers_(&layers),
      shares_(&shares),
      options_(&options),
      started_(comm::size() == 1) {
  if (!options.cached && !is_shared(options))
    start_pass_ = [&session](const pass::BackendOptions& about, const Rows& first) {
      return session.networks->first().start_pass(about, first);
    };
  const Part part = own_part(options);
  if (part.number == 0 || options.share) {
    const auto centres =
        part.number == 0 ? std::vector<Eigen::VectorXf>() : find_centres(session, sets, layers, shares);
    builders_ = make_builders(layers, sets, shares.pass, centres, start_pass_, is_shared(options));
  }
}

void BlockAdder::start() {
  if (adding_.valid()) adding_.get();
  const auto centres = share_centres(*layers_, builders_, shares_->units.front());
  started_ = true;
  if (comm::rank() == 0) return;
  builders_ = make_builders(*layers_, sets_, shares_->pass, centres, start_pass_, true);
  for (const Block& block : std::exchange(early_, {})) add_block(builders_, block);
}

void BlockAdder::add(Block block) {
  const Unit unit = block.unit;
  const Index end = block.first + block.layers.front()->rows();
  if (builders_.empty()) {
    early_.push_back(std::move(block));
  } else {
    if (adding_.valid()) adding_.get();
    in_hand_ = std::move(block);
    const auto when =
        options_->on_device ? std::launch::deferred : std::launch::async | std::launch::deferred;
    adding_ = std::async(when, [this] { add_block(builders_, in_hand_); });
  }
  if (!started_ && end == unit.first + unit.rows) start();
}

void BlockAdder::settle() {
  if (!started_) start();
  if (adding_.valid()) adding_.get();
}

pass::Pass BlockAdder::finish(std::size_t layer) {
  const std::unique_ptr<pass::PassBuilder> builder = std::move(builders_[layer]);
  if (options_->share) return builder->finish_share();
  return comm::size() == 1 ? builder->finish() : merge_passes(builder->finish_share(), *shares_);
}

}  // namespace atcav
