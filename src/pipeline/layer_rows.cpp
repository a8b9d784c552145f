#include "pipeline/layer_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "pipeline/early_rows.h"

namespace atcav {
namespace {

// A column with 1 where the target is the largest logit.
MatrixF top_class_hits(const Eigen::Map<const MatrixF>& logits, const std::vector<Index>& targets) {
  MatrixF hits(logits.rows(), 1);
  for (Index row = 0; row < logits.rows(); ++row) {
    Index top = 0;
    logits.row(row).maxCoeff(&top);
    hits(row, 0) = top == targets[targets.size() == 1 ? 0 : static_cast<std::size_t>(row)] ? 1.0F : 0.0F;
  }
  return hits;
}

// A block on its way: rows first … of a set, and what is asked of them.
struct BlockOfRows {
  OpenedSet& set;
  Index first;
  Index count;
  const ClassTarget* target;  // null: activations
  bool with_logits = false;   // behind them
};

std::vector<RowsPtr> gradients(Session& session, const std::vector<model::InputBatch>& inputs,
                               const ClassTarget& target) {
  model::Model& network = session.networks->next();
  model::WithLogits found = network.gradients(session.positions, inputs, target.logits, session.pool);
  std::vector<RowsPtr> rows = std::move(found.layers);
  if (target.minus) {
    const auto other = network.gradients(session.positions, inputs, {*target.minus}, session.pool).layers;
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = std::make_shared<HostRows>(MatrixF(rows[i]->host() - other[i]->host()));
  }
  if (target.negative) {
    for (RowsPtr& layer : rows) layer = std::make_shared<HostRows>(MatrixF(-layer->host()));
  }
  rows.push_back(std::make_shared<HostRows>(top_class_hits(found.logits->host(), target.logits)));
  return rows;
}

std::vector<RowsPtr> activations(Session& session, const std::vector<model::InputBatch>& inputs,
                                 bool with_logits) {
  model::Model& network = session.networks->next();
  if (!with_logits) return network.activations(session.positions, inputs, session.pool);
  model::WithLogits found = network.activations_with_logits(session.positions, inputs, session.pool);
  found.layers.push_back(std::move(found.logits));
  return std::move(found.layers);
}

// Inputs of one length; `target` is theirs.
std::vector<RowsPtr> asked(Session& session, const BlockOfRows& block,
                           const std::vector<model::InputBatch>& inputs, const ClassTarget* target) {
  std::vector<RowsPtr> rows = target == nullptr ? activations(session, inputs, block.with_logits)
                                                : gradients(session, inputs, *target);
  for (std::size_t i = 0; i < session.layers.size(); ++i) {
    const ProbedLayer& layer = session.layers[i];
    if (rows[i]->columns() != layer.columns) {
      fail_argument("run",
                    fmt::format("{} has {} columns at layer '{}', other examples have {}: sequences of "
                                "different lengths need --pooling",
                                block.set.name(), rows[i]->columns(), layer.name, layer.columns));
    }
  }
  return rows;
}

// Rows of different lengths go through the network in groups.
std::vector<RowsPtr> computed(Session& session, const BlockOfRows& block) {
  const auto groups = block.set.inputs.groups(block.first, block.count);
  std::vector<MatrixF> joined;
  for (const std::vector<Index>& group : groups) {
    std::optional<ClassTarget> own;
    if (block.target != nullptr) own = block.target->of(group);
    std::vector<RowsPtr> rows = asked(session, block, read_rows(block.set, group), own ? &*own : nullptr);
    if (groups.size() == 1) return rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto here = rows[i]->host();
      if (joined.size() == i) joined.emplace_back(block.count, here.cols());
      for (std::size_t j = 0; j < group.size(); ++j)
        joined[i].row(group[j] - block.first) = here.row(static_cast<Index>(j));
    }
  }
  std::vector<RowsPtr> result;
  result.reserve(joined.size());
  for (MatrixF& rows : joined) result.push_back(std::make_shared<HostRows>(std::move(rows)));
  return result;
}

// One per layer, and one more for what stands behind them. The whole block is in the key: rounding in a
// network may depend on what shares its batch.
std::vector<std::string> keys_of(const Session& session, const BlockOfRows& block, const std::string& what) {
  const auto rows = block.set.hashes_of(block.first, block.count);
  std::vector<std::string> keys;
  const auto add = [&](const std::string& layer) {
    keys.push_back(fmt::format("layer {} {}\n{}\n{}", layer.size(), layer, what, fmt::join(rows, "\n")));
  };
  for (const ProbedLayer& layer : session.layers) add(layer.what.name);
  if (block.target != nullptr) add("\ttop class");
  if (block.with_logits) add("\tlogits");
  return keys;
}

std::vector<RowsPtr> cached(Session& session, const BlockOfRows& block, const std::string& what) {
  if (!session.cache) {
    session.examples_run += block.count;
    return computed(session, block);
  }
  // Examples from code show their content, and so their key, when they are read.
  std::vector<model::InputBatch> inputs;
  if (!block.set.inputs.stored()) inputs = read_rows(block.set, block.first, block.count);
  const std::vector<std::string> keys = keys_of(session, block, what);
  std::vector<RowsPtr> found(keys.size());
  parallel_for(std::ssize(keys), session.threads, [&](Index i) {
    const auto layer = static_cast<std::size_t>(i);
    const Index behind = block.with_logits ? session.facts.logit_count : 1;
    const Index columns = layer < session.layers.size() ? session.layers[layer].columns : behind;
    if (auto rows = session.cache.find(keys[layer], block.count, columns))
      found[layer] = std::make_shared<HostRows>(std::move(*rows));
  });
  if (std::ranges::all_of(found, [](const RowsPtr& rows) { return rows != nullptr; })) return found;
  session.examples_run += block.count;
  std::vector<Index> all(static_cast<std::size_t>(block.count));
  std::iota(all.begin(), all.end(), block.first);
  std::optional<ClassTarget> own;
  if (block.target != nullptr) own = block.target->of(all);
  std::vector<RowsPtr> rows =
      inputs.empty() ? computed(session, block) : asked(session, block, inputs, own ? &*own : nullptr);
  for (std::size_t i = 0; i < keys.size(); ++i) session.cache.store(keys[i], rows[i]->host());
  return rows;
}

}  // namespace

std::vector<RowsPtr> layer_activations(Session& session, OpenedSet& set, Index first, Index count,
                                       bool with_logits) {
  if (set.kept) return set.kept->rows(first, count, with_logits);
  return cached(session, {set, first, count, nullptr, with_logits}, "activations -1");
}

std::vector<RowsPtr> layer_gradients(Session& session, OpenedSet& set, Index first, Index count,
                                     const ClassTarget& target) {
  std::vector<Index> inputs(static_cast<std::size_t>(count));
  std::iota(inputs.begin(), inputs.end(), first);
  return cached(session, {set, first, count, &target}, "gradients " + target.of(inputs).text());
}

}  // namespace atcav
