#include "pipeline/explain_classes.h"

#include <string>

#include "atcav/random.h"
#include "core/parallel.h"
#include "pass/pass_products.h"
#include "pipeline/kept_rows.h"
#include "stats/explained.h"

namespace atcav {
namespace {

// Of the rows that are there, as users group them.
Groups groups_of_random(const LayerData& data, Index rows) {
  if (!data.groups || data.groups->sets.empty() || data.groups->sets.front().empty()) return {};
  const std::vector<std::string>& names = data.groups->sets.front();
  return groups_of({names.begin(), names.begin() + rows});
}

// Inner products around the pass's centre, and products with directions (columns × q).
Matrix products_of(const KeptRows& rows, const Vector& centre, int threads) {
  return pass::centred_gram({rows.block()}, centre.cast<float>(), /*exact=*/false, threads)
      .topLeftCorner(rows.rows(), rows.rows());
}

Matrix features_of(const KeptRows& rows, const Vector& centre, const Matrix& directions, int threads) {
  Matrix found(rows.rows(), directions.cols());
  parallel_for(rows.rows(), threads, [&](Index row) {
    found.row(row) = (rows.read(row, 1).cast<double>().row(0) - centre.transpose()) * directions;
  });
  return found;
}

}  // namespace

std::vector<Explained> explain_classes(const AnalysedLayer& layer, const Options& options) {
  const LayerData& data = layer.data;
  if (!data.random_rows || !data.logits || !data.pass) return {};
  const KeptRows& rows = *data.random_rows;
  std::vector<std::string> concepts;
  std::vector<Vector> directions;
  for (std::size_t test = 0; test < layer.sets.size(); ++test) {
    if (layer.sets[test].second != 0) continue;
    concepts.push_back(data.names.concepts[static_cast<std::size_t>(layer.sets[test].first - 1)]);
    directions.push_back(layer.direction(static_cast<Index>(test)));
  }
  const auto count = std::ssize(concepts);
  if (!stats::SpanDesign::fits(rows.rows(), count)) return {};
  const Groups groups = groups_of_random(data, rows.rows());
  if (!groups.empty() && !stats::SpanDesign::fits(groups.count, count)) return {};
  Matrix span(data.pass->dimension, count);
  for (Index c = 0; c < count; ++c) span.col(c) = directions[static_cast<std::size_t>(c)];
  const Vector& centre = data.pass->centre;
  stats::SpanOptions how;
  how.level = options.level;
  how.seed = options.seed;
  how.key = key_word(data.names.layer);
  how.threads = options.threads;
  const stats::SpanDesign design(features_of(rows, centre, span, options.threads),
                                 products_of(rows, centre, options.threads), groups, how);
  std::vector<Explained> list;
  for (std::size_t k = 0; k < data.names.classes.size(); ++k) {
    const Vector logit = data.logits->front().col(static_cast<Index>(k)).head(rows.rows());
    if (logit.hasNaN()) continue;
    const auto found = design.explain(logit);
    if (!found) continue;
    Explained& one = list.emplace_back();
    one.class_name = data.names.classes[k].name;
    one.layer = data.names.layer;
    one.concepts = concepts;
    one.inputs = rows.rows();
    one.share = found->share;
    one.interval = found->interval;
    one.random = {found->random_mean, found->random_sd};
    one.ceiling = found->ceiling;
    for (std::size_t c = 0; c < found->shapley.size(); ++c)
      one.shapley.push_back({concepts[c], found->shapley[c], found->shapley_intervals[c]});
  }
  return list;
}

}  // namespace atcav
