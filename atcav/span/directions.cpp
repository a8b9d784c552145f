#include "atcav/span/directions.h"

#include <algorithm>

namespace atcav::span {
namespace {

Eigen::RowVectorXd mean_of(const HeldOut& set) {
  return set.fold_sums.total().colwise().sum() / set.fold_counts.sum();
}

}  // namespace

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

Matrix cosines_between(Matrix directions) {
  for (auto row : directions.rowwise()) {
    const double length = row.norm();
    if (length > 0) row /= length;
  }
  const Matrix products = directions * directions.transpose();
  // Rounding must not give a cosine beyond 1.
  return products.unaryExpr([](double cosine) { return std::clamp(cosine, -1.0, 1.0); });
}

}  // namespace atcav::span
