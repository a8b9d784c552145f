#include "atcav/span/entanglement.h"

#include "atcav/span/cosines.h"

namespace atcav::span {
namespace {

Eigen::RowVectorXd mean_of(const HeldOut& set) {
  return set.fold_sums.colwise().sum() / set.fold_counts.sum();
}

Matrix mean_directions(const Pass& pass, bool fast) {
  const auto concepts = static_cast<Index>(pass.sets.size()) - 1;
  Matrix directions(concepts, pass.dimension);
  const HeldOut& random = pass.sets[0].held_out;
  for (Index c = 0; c < concepts; ++c) {
    const HeldOut& set = pass.sets[c + 1].held_out;
    directions.row(c) = mean_of(set) - mean_of(random);
    if (fast) {
      directions.row(c) *= random.fold_counts.sum() / (random.fold_counts.sum() + set.fold_counts.sum());
    }
  }
  return directions;
}

// In the coordinates of the reduction.
Matrix fitted_directions(const Reduction& reduction, const stats::CavOptions& options) {
  const auto concepts = static_cast<Index>(reduction.first.size()) - 2;
  Matrix directions(concepts, reduction.features.cols());
  for (Index c = 0; c < concepts; ++c) {
    directions.row(c) =
        stats::fit_cav(reduction.rows(0), reduction.rows(c + 1), options).direction.transpose();
  }
  return directions;
}

}  // namespace

Matrix cav_directions(const Pass& pass, const MatrixFRef& gradients, const stats::CavOptions& options) {
  if (stats::is_mean_difference(options.method)) {
    return mean_directions(pass, options.method == stats::CavMethod::kFast);
  }
  return expand(pass, fitted_directions(reduce(pass, gradients), options));
}

Matrix cav_cosines(const Pass& pass) { return cosines_between(mean_directions(pass, false)); }

Matrix cav_cosines(const Reduction& reduction, const stats::CavOptions& options) {
  return cosines_between(fitted_directions(reduction, options));
}

}  // namespace atcav::span
