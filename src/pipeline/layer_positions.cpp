#include "pipeline/layer_positions.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "atcav/random.h"
#include "core/check.h"
#include "model/layout.h"
#include "pipeline/layer_rows.h"
#include "pipeline/placement.h"

namespace atcav {
namespace {

// Growing lists of one layer.
struct PositionCollector {
  std::vector<float> values;
  LayerPositions found;
};

std::vector<Index> counting_positions(const MatrixF& mask, Index row, Index positions) {
  std::vector<Index> counting;
  for (Index p = 0; p < positions; ++p)
    if (mask.cols() != positions || mask(row, p) != 0) counting.push_back(p);
  return counting;
}

void keep_some(std::vector<Index>& positions, Index most, Stream stream) {
  if (std::ssize(positions) <= most) return;
  const std::vector<Index> order = stream.permutation(std::ssize(positions));
  std::vector<Index> kept;
  for (Index i = 0; i < most; ++i) kept.push_back(positions[order[i]]);
  std::ranges::sort(kept);
  positions = std::move(kept);
}

void add_input(PositionCollector& collector, const Eigen::Ref<const Eigen::RowVectorXf>& row,
               const ProbedLayer& layer, const std::vector<Index>& positions) {
  const Index of_input = collector.found.of_input;
  for (const Index p : positions) {
    for (Index c = 0; c < layer.columns; ++c)
      collector.values.push_back(
          row(model::column_of(c, p, layer.columns, of_input, layer.what.channels_first)));
    collector.found.positions.push_back(p);
  }
  collector.found.begins.push_back(std::ssize(collector.found.positions));
}

}  // namespace

std::vector<Index> LayerPositions::input_of_row() const {
  std::vector<Index> inputs_of(positions.size());
  for (Index i = 0; i < inputs(); ++i)
    std::fill(inputs_of.begin() + begins[i], inputs_of.begin() + begins[i + 1], i);
  return inputs_of;
}

std::vector<LayerPositions> read_positions(Session& session, OpenedSet& set, std::uint64_t seed, Index most,
                                           const Progress& progress) {
  std::vector<PositionCollector> collectors(session.layers.size());
  for (std::size_t i = 0; i < collectors.size(); ++i) {
    collectors[i].found.begins = {0};
    collectors[i].found.pooled.resize(set.rows(), session.layers[i].columns);
  }
  model::Model& network = session.networks->first();
  for (Index first = 0; first < set.rows();) {
    const Index count = set.inputs.block(first, std::min(session.batch, set.rows() - first));
    set.inputs.expect(first + count);
    const auto groups = set.inputs.groups(first, count);
    if (groups.size() > 1)
      fail_argument("discover", "rows of " + set.name() + " differ in length, must be of one length");
    const std::vector<model::InputBatch> inputs = read_rows(set, groups.front());
    const std::vector<RowsPtr> layers = network.activations(session.positions, inputs, model::Pool::kNone);
    const MatrixF mask = network.token_mask(inputs);
    session.examples_run += count;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const ProbedLayer& layer = session.layers[i];
      const auto values = layers[i]->host();
      check_finite("discover", set.name(), MatrixFRef(values), first);
      PositionCollector& own = collectors[i];
      own.found.of_input = values.cols() / layer.columns;
      own.found.pooled.middleRows(first, count) = Placement(*layers[i], layer, session.pool, mask).pooled();
      const double together =
          most > 0 ? static_cast<double>(most) : kMostNumbers / static_cast<double>(layer.columns);
      const auto of_each = static_cast<Index>(std::max(1.0, together / static_cast<double>(set.rows())));
      for (Index row = 0; row < count; ++row) {
        std::vector<Index> positions = counting_positions(mask, row, own.found.of_input);
        keep_some(positions, of_each,
                  Stream(seed, {kTaskPositions, key_word(set.name()), key_word(layer.what.name),
                                static_cast<std::uint64_t>(first + row)}));
        add_input(own, values.row(row), layer, positions);
      }
    }
    first += count;
    if (progress) progress(set.name(), first, set.rows());
  }
  std::vector<LayerPositions> found;
  for (std::size_t i = 0; i < collectors.size(); ++i) {
    PositionCollector& own = collectors[i];
    own.found.rows = Eigen::Map<const MatrixF>(own.values.data(), std::ssize(own.found.positions),
                                               session.layers[i].columns);
    own.values = {};
    found.push_back(std::move(own.found));
  }
  return found;
}

std::vector<Matrix> read_pooled(Session& session, OpenedSet& set, const Progress& progress) {
  std::vector<Matrix> found;
  for (const ProbedLayer& layer : session.layers) found.emplace_back(set.rows(), layer.columns);
  for (Index first = 0; first < set.rows();) {
    const Index count = set.inputs.block(first, std::min(session.batch, set.rows() - first));
    set.inputs.expect(first + count);
    const std::vector<RowsPtr> layers = layer_activations(session, set, first, count);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const auto values = layers[i]->host();
      check_finite("discover", set.name(), MatrixFRef(values), first);
      found[i].middleRows(first, count) = values.cast<double>();
    }
    first += count;
    if (progress) progress(set.name(), first, set.rows());
  }
  return found;
}

}  // namespace atcav
