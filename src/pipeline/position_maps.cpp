#include "pipeline/position_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "data/file/sha256.h"
#include "pipeline/extremes.h"

namespace atcav {
namespace {

// Positions in a cell's side, and cells in a side.
Index cell_side(const PositionLayout& layout) {
  if (layout.tokens) return 1;
  return (std::max(layout.height, layout.width) + kMostCells - 1) / kMostCells;
}
Index cells_in(Index side, const PositionLayout& layout) {
  return (side + cell_side(layout) - 1) / cell_side(layout);
}

// Numbers of the results to be mapped, the largest effects first and then in order.
std::vector<Index> largest_effects(std::span<const Result> results, Index count) {
  std::vector<Index> order(results.size());
  std::iota(order.begin(), order.end(), 0);
  const auto size = [&](Index i) { return std::abs(results[i].signed_size()); };
  std::ranges::stable_sort(order, [&](Index a, Index b) { return size(a) > size(b); });
  order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
  return order;
}

}  // namespace

std::optional<PositionLayout> position_layout(const model::Layer& layer, model::Pool pool) {
  const std::vector<Index>& shape = layer.shape;
  if (pool != model::Pool::kNone || (shape.size() != 2 && shape.size() != 3)) return std::nullopt;
  const Index channels = layer.channels_first ? shape.front() : shape.back();
  if (channels != layer.pooled_size || layer.size <= channels) return std::nullopt;
  const std::size_t first = layer.channels_first ? 1 : 0;
  PositionLayout layout{1, shape[first], channels, layer.channels_first, shape.size() == 2};
  if (!layout.tokens) {
    layout.height = shape[first];
    layout.width = shape[first + 1];
  }
  if (layout.tokens && layout.width > kMostTokens) return std::nullopt;
  return layout;
}

std::vector<double> position_products(const PositionLayout& layout,
                                      const Eigen::Ref<const Eigen::RowVectorXf>& row,
                                      const Eigen::Ref<const Eigen::VectorXf>& direction) {
  const Index positions = layout.height * layout.width;
  check_same("position_products", "numbers", "the row", row.size(), "channels × positions",
             layout.channels * positions);
  check_same("position_products", "numbers", "the direction", direction.size(), "the row", row.size());
  const Index side = cell_side(layout);
  const Index across = cells_in(layout.width, layout);
  std::vector<double> cells(static_cast<std::size_t>(cells_in(layout.height, layout) * across));
  std::vector<Index> cell_of(static_cast<std::size_t>(positions));
  for (Index p = 0; p < positions; ++p)
    cell_of[p] = p / layout.width / side * across + p % layout.width / side;
  const auto add = [&](Index at, Index p) {
    cells[cell_of[p]] += static_cast<double>(row(at)) * static_cast<double>(direction(at));
  };
  Index at = 0;
  if (layout.channels_first) {
    for (Index c = 0; c < layout.channels; ++c)
      for (Index p = 0; p < positions; ++p) add(at++, p);
  } else {
    for (Index p = 0; p < positions; ++p)
      for (Index c = 0; c < layout.channels; ++c) add(at++, p);
  }
  return cells;
}

void PositionMapper::map_sensitivities(std::size_t number, const AnalysedLayer& layer) {
  // Labels of a pool come behind the layer's concepts.
  const std::size_t labels =
      layer.data.labels ? layer.data.labels->columns.size() * layer.data.names.classes.size() : 0;
  const std::size_t before = std::exchange(results_, results_ + layer.results.size() + labels);
  const auto layout = position_layout(session_.layers[number].what, session_.pool);
  if (!layout) return;
  const Index share = std::max<Index>(1, kMapped / std::ssize(session_.layers));
  const std::size_t tests = layer.results.size() / layer.data.names.classes.size();
  std::map<std::size_t, std::shared_ptr<const Direction>> directions;  // by test
  for (const Index i : largest_effects(layer.results, share)) {
    const auto place = static_cast<std::size_t>(i);
    auto& direction = directions[place % tests];
    if (!direction) {
      const Eigen::VectorXf values = layer.direction(static_cast<Index>(place % tests)).cast<float>();
      direction = std::make_shared<Direction>(
          Direction{values, data::sha256(std::span(values.data(), static_cast<std::size_t>(values.size())))});
    }
    if (direction->values.size() == 0) continue;
    const std::size_t of_class = place / tests;
    mapped_.push_back({number, of_class, before + place, direction});
    Index first = 0;
    for (std::size_t k = 0; k < of_class; ++k) first += layer.data.names.classes[k].inputs;
    Result& result = layer.results[place];
    PositionMaps maps{cells_in(layout->height, *layout),
                      cells_in(layout->width, *layout),
                      cell_side(*layout),
                      layout->tokens,
                      {}};
    const Extremes ends = extremes_of(result.sensitivities);
    std::set<Index> inputs(ends.most.begin(), ends.most.end());
    inputs.insert(ends.least.begin(), ends.least.end());
    for (const Index input : inputs) {
      maps.inputs.push_back(
          {input,
           position_products(*layout, layer.data.gradients.row(first + input), direction->values),
           {}});
    }
    result.maps = std::move(maps);
  }
}

void PositionMapper::map_activations(std::vector<Result>& results) {
  for (std::size_t k = 0; k < sets_.size(); ++k) {
    if (!sets_[k].inputs.stored()) continue;
    std::vector<Wanted> wanted;
    for (const Mapped& mapped : mapped_) {
      if (mapped.of_class != k) continue;
      for (PositionMap& map : results[mapped.result].maps->inputs) wanted.push_back({&mapped, &map});
    }
    if (!wanted.empty()) map_activations(sets_[k], wanted);
  }
}

// The inputs that are asked for, as many at once as the network takes.
std::vector<std::vector<Index>> PositionMapper::blocks_of(const OpenedSet& set,
                                                          const std::vector<Wanted>& wanted) const {
  std::set<Index> inputs;
  for (const Wanted& one : wanted) inputs.insert(one.map->input);
  std::vector<std::vector<Index>> blocks;
  for (const std::vector<Index>& group : set.inputs.groups({inputs.begin(), inputs.end()})) {
    for (auto from = group.begin(); from != group.end();) {
      const auto to = from + std::min<std::ptrdiff_t>(session_.batch, group.end() - from);
      blocks.emplace_back(from, to);
      from = to;
    }
  }
  return blocks;
}

void PositionMapper::map_activations(OpenedSet& set, const std::vector<Wanted>& wanted) const {
  std::string what = fmt::format("maps of activations, batch {}", session_.batch);
  Index most = 0;
  for (const auto& [mapped, map] : wanted) {
    what += fmt::format("\n{} along {} of {}", session_.layers[mapped->layer].what.name,
                        mapped->direction->sha256, set.hashes[map->input]);
    most = std::max(most, std::ssize(map->sensitivity));
  }
  const MatrixF found = session_.cache.kept(what, static_cast<Index>(wanted.size()), most, [&] {
    MatrixF all = MatrixF::Zero(static_cast<Index>(wanted.size()), most);
    for (const std::vector<Index>& inputs : blocks_of(set, wanted)) {
      set.inputs.expect(set.rows());  // no more
      const std::vector<RowsPtr> rows = session_.networks->first().activations(
          session_.positions, read_rows(set, inputs), model::Pool::kNone);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto& [mapped, map] = wanted[i];
        const auto place = std::find(inputs.begin(), inputs.end(), map->input);
        if (place == inputs.end()) continue;
        const std::vector<double> cells = position_products(
            *position_layout(session_.layers[mapped->layer].what, session_.pool),
            rows[mapped->layer]->host().row(place - inputs.begin()), mapped->direction->values);
        for (std::size_t c = 0; c < cells.size(); ++c)
          all(static_cast<Index>(i), static_cast<Index>(c)) = static_cast<float>(cells[c]);
      }
    }
    return all;
  });
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto row = found.row(static_cast<Index>(i)).head(std::ssize(wanted[i].map->sensitivity));
    wanted[i].map->activation.assign(row.begin(), row.end());
  }
}

}  // namespace atcav
