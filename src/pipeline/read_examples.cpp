#include "pipeline/read_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "comm/comm.h"
#include "core/check.h"
#include "pipeline/early_rows.h"
#include "pipeline/kept_inputs.h"

namespace atcav {
namespace {

void check_sets(std::span<const OpenedSet> sets) {
  if (comm::size() > 1)
    fail_argument("run",
                  "--until and --budget are for one process: what is read next depends on all that was read");
  for (const OpenedSet& set : sets) {
    if (!set.inputs.stored())
      fail_argument("run",
                    fmt::format("{} comes from code, which --until and --budget cannot read in an order of "
                                "their own; expected files or arrays",
                                set.name()));
  }
}

class ExamplesRead {
 public:
  ExamplesRead(Session& session, std::span<OpenedSet> sets, const CollectOptions& options,
               std::span<const LayerData> layers)
      : session_(session),
        sets_(sets),
        options_(options),
        layers_(layers),
        projector_(layers, options.run.threads) {
    for (const OpenedSet& set : sets) total_ += set.rows();
    if (options.run.budget) total_ = std::min(total_, *options.run.budget);
    const auto piles = std::make_shared<std::vector<RowPile>>();
    for (const LayerData& layer : layers) piles->emplace_back(total_, layer.gradients.cols());
    for (std::size_t s = 0; s < sets.size(); ++s) kept_.push_back(std::make_shared<EarlyRows>(piles));
    numbers_.resize(sets.size());
  }

  std::vector<Matrix> read(Index s, const std::vector<Index>& rows) {
    OpenedSet chunk = chosen(s, rows);
    if (session_.cache) chunk.hashes = model::content_hashes(chunk.inputs, session_.threads);
    std::vector<Matrix> products;
    for (const LayerData& layer : layers_) products.emplace_back(layer.gradients.rows(), std::ssize(rows));
    Index count = 0;
    for (Index first = 0; first < std::ssize(rows); first += count) {
      count = std::min(session_.batch, std::ssize(rows) - first);
      const auto numbers =
          std::span(rows).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
      const bool with_logits = may_be_first(s, numbers.front());
      std::vector<RowsPtr> found = layer_activations(session_, chunk, first, count, with_logits);
      MatrixF logits;
      if (with_logits) {
        logits = found.back()->host();
        found.pop_back();
      }
      for (std::size_t l = 0; l < found.size(); ++l)
        products[l].middleCols(first, count) =
            projector_.project(l, found[l]->host(), sets_[s].name(), numbers);
      kept_[s]->add(numbers, found, std::move(logits));
      numbers_[s].insert(numbers.begin(), numbers.end());
      done_ += count;
      if (options_.progress) options_.progress("examples", done_, total_);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) sets_[s].hashes[rows[i]] = chunk.hashes[i];
    return products;
  }

  // The set as if it had these rows alone.
  OpenedSet chosen(Index s, const std::vector<Index>& rows) const {
    const OpenedSet& set = sets_[s];
    OpenedSet some{
        set.role, set.path, model::Inputs(model::chosen_examples(set.inputs.stored(), rows)), {}, {}};
    for (const Index row : rows) some.hashes.push_back(set.hashes[row]);
    return some;
  }
  std::shared_ptr<EarlyRows> kept(Index s) const { return kept_[s]; }

 private:
  // Logits are looked at of a set's first rows alone (collect_rows.h).
  bool may_be_first(Index s, Index row) const {
    Index before = 0;
    for (const Index other : numbers_[s]) {
      if (other > row || before == kMostWithLogits) break;
      ++before;
    }
    return before < kMostWithLogits;
  }

  Session& session_;
  std::span<OpenedSet> sets_;
  const CollectOptions& options_;
  std::span<const LayerData> layers_;
  ExampleProjector projector_;
  std::vector<std::shared_ptr<EarlyRows>> kept_;
  std::vector<std::set<Index>> numbers_;  // of the rows that were read
  Index done_ = 0;
  Index total_ = 0;
};

}  // namespace

RowsRead read_examples(Session& session, std::span<OpenedSet> sets, const CollectOptions& options,
                       std::vector<LayerData>& layers) {
  check_sets(sets);
  ExamplesRead examples(session, sets, options, layers);
  std::vector<SetToRead> to_read;
  for (const OpenedSet& set : sets) to_read.push_back({set.role, set.rows()});
  RowsRead found = read_until(layers, to_read, options.run, [&](Index set, const std::vector<Index>& rows) {
    return examples.read(set, rows);
  });
  for (std::size_t s = 0; s < sets.size(); ++s) {
    OpenedSet some = examples.chosen(static_cast<Index>(s), found.rows[s]);
    const std::shared_ptr<EarlyRows> kept = examples.kept(static_cast<Index>(s));
    kept->put_in_order();
    some.kept = kept;
    sets[s] = std::move(some);
  }
  return found;
}

}  // namespace atcav
