#include "atcav/span/entanglement.h"

#include <algorithm>

namespace atcav::span {
namespace {

Eigen::RowVectorXd mean_of(const HeldOut& set) {
  return set.fold_sums.colwise().sum() / set.fold_counts.sum();
}

// Rows are directions. Rounding must not give a cosine beyond 1.
Matrix cosines_between(Matrix directions) {
  for (auto row : directions.rowwise()) {
    const double length = row.norm();
    if (length > 0) row /= length;
  }
  const Matrix products = directions * directions.transpose();
  return products.unaryExpr([](double cosine) { return std::clamp(cosine, -1.0, 1.0); });
}

}  // namespace

Matrix cav_cosines(const Pass& pass) {
  const auto concepts = static_cast<Index>(pass.sets.size()) - 1;
  const Eigen::RowVectorXd random = mean_of(pass.sets[0].held_out);
  Matrix directions(concepts, pass.dimension);
  for (Index c = 0; c < concepts; ++c) directions.row(c) = mean_of(pass.sets[c + 1].held_out) - random;
  return cosines_between(std::move(directions));
}

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
