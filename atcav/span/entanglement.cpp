#include "atcav/span/entanglement.h"

#include "atcav/base/check.h"
#include "atcav/span/cosines.h"

namespace atcav::span {
namespace {

Eigen::RowVectorXd mean_of(const HeldOut& set) {
  return set.fold_sums.colwise().sum() / set.fold_counts.sum();
}

}  // namespace

Matrix cav_directions(const Pass& pass, const stats::CavOptions& options) {
  const auto concepts = static_cast<Index>(pass.sets.size()) - 1;
  Matrix directions(concepts, pass.dimension);
  if (stats::is_mean_difference(options.method)) {
    const HeldOut& random = pass.sets[0].held_out;
    for (Index c = 0; c < concepts; ++c) {
      const HeldOut& set = pass.sets[c + 1].held_out;
      directions.row(c) = mean_of(set) - mean_of(random);
      if (options.method != stats::CavMethod::kFast) continue;
      directions.row(c) *= random.fold_counts.sum() / (random.fold_counts.sum() + set.fold_counts.sum());
    }
    return directions;
  }
  if (!pass.features) {
    fail_argument("cav_directions",
                  "directions of fitted CAVs need a layer with no more columns than examples");
  }
  const Matrix rows = pass.features->cast<double>();
  const Index random = pass.sets[0].projections.columns();
  Index first = random;
  for (Index c = 0; c < concepts; ++c) {
    const Index count = pass.sets[c + 1].projections.columns();
    directions.row(c) =
        stats::fit_cav(rows.topRows(random), rows.middleRows(first, count), options).direction.transpose();
    first += count;
  }
  return directions;
}

Matrix cav_cosines(const Pass& pass) { return cosines_between(cav_directions(pass, {})); }

Matrix cav_cosines(const Reduction& reduction, const stats::CavOptions& options) {
  const auto concepts = static_cast<Index>(reduction.first.size()) - 2;
  Matrix directions(concepts, reduction.features.cols());
  for (Index c = 0; c < concepts; ++c) {
    directions.row(c) =
        stats::fit_cav(reduction.rows(0), reduction.rows(c + 1), options).direction.transpose();
  }
  return cosines_between(std::move(directions));
}

}  // namespace atcav::span
