#include "pipeline/copies_notes.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>

#include "fit/copies.h"

namespace atcav {
namespace {

constexpr Index kOneIn = 20;

struct CopiedSet {
  std::string role;
  Index rows = 0;
  std::string layer;
  fit::Copies copies;
  std::vector<std::string> files;
};

// What the labels leave of a pool's rows: rows that only share their labels are alike too, and are no copies.
MatrixF without_labels(const MatrixF& sketch, const PoolLabels& labels) {
  constexpr Index kMostLabels = 64;
  if (sketch.rows() == 0 || labels.values.cols() > kMostLabels) return sketch;
  Eigen::MatrixXf known(labels.values.rows(), labels.values.cols());
  for (Index c = 0; c < known.cols(); ++c) {
    const auto there = (!labels.values.col(c).array().isNaN()).eval();
    Eigen::ArrayXd column = there.select(labels.values.col(c).array(), 0);
    const double size = column.abs().maxCoeff();
    if (size > 0) column /= size;  // floats reach 1e38
    const double mean = column.sum() / static_cast<double>(std::max<Index>(1, there.count()));
    known.col(c) = there.select(column - mean, 0).cast<float>().matrix();
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXf> factor(known);
  const Eigen::MatrixXf basis =
      factor.householderQ() * Eigen::MatrixXf::Identity(known.rows(), factor.rank());
  return sketch - basis * (basis.transpose() * sketch);
}

void look(CopiedSet& set, const MatrixF& sketch, const std::vector<std::string>& groups,
          const LayerData& layer, int threads) {
  set.rows = sketch.rows();
  if (set.rows == 0) return;
  const fit::Copies found = fit::find_copies(sketch, groups.empty() ? Groups{} : groups_of(groups), threads);
  if (found.rows <= set.copies.rows) return;
  set.copies = found;
  set.layer = layer.names.layer;
}

std::string words(const CopiedSet& set, bool pool) {
  const auto name = [&](Index row) {
    return set.files.empty() ? fmt::format("row {}", row) : set.files[row];
  };
  const char* remedy = !set.files.empty() ? "--group-by puts files of one source together"
                       : pool             ? "--group-column puts rows of one source together"
                                          : "keep one of each, or give all as a --pool with a --group-column";
  return fmt::format(
      "{} of the {} examples of {} look like copies of others{} (e.g. {} and {}, cosine {:.2f}); where they "
      "come from one source, errors are understated: {}",
      set.copies.rows, set.rows, set.role, set.layer.empty() ? "" : " at " + set.layer,
      name(set.copies.first), name(set.copies.second), set.copies.cosine, remedy);
}

}  // namespace

std::vector<std::string> copies_notes(std::span<const LayerData> layers, int threads) {
  if (layers.empty()) return {};
  static const std::vector<std::string> none;
  const LayerData& first = layers.front();
  std::vector<CopiedSet> sets(first.pass ? first.pass->sets.size() : 0);
  CopiedSet pool{"the pool", 0, "", {}, first.files ? first.files->pool : none};
  for (std::size_t s = 0; s < sets.size(); ++s) {
    sets[s].role = s == 0 ? "random" : fmt::format("concept '{}'", first.names.concepts[s - 1]);
    if (first.files && s < first.files->sets.size()) sets[s].files = first.files->sets[s];
  }
  for (const LayerData& layer : layers) {
    for (std::size_t s = 0; s < sets.size(); ++s) {
      const bool grouped = layer.groups && !layer.groups->sets.empty();
      look(sets[s], layer.pass->sets[s].sketch, grouped ? layer.groups->sets[s] : none, layer, threads);
    }
    if (layer.pool)
      look(pool, without_labels(layer.pool->sets[0].sketch, *layer.labels),
           layer.groups ? layer.groups->pool : none, layer, threads);
  }
  std::vector<std::string> notes;
  const auto add = [&](const CopiedSet& set, bool is_pool) {
    if (set.copies.rows > 0 && set.copies.rows * kOneIn >= set.rows) notes.push_back(words(set, is_pool));
  };
  for (const CopiedSet& set : sets) add(set, false);
  add(pool, true);
  return notes;
}

}  // namespace atcav
