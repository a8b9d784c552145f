#include "atcav/span/projections.h"

#include <cmath>

namespace atcav::span {

Index Projections::count() const { return static_cast<Index>(std::llround(weights.sum())); }

Vector Projections::mean() const { return values * (weights / weights.sum()); }

Vector Projections::variance() const {
  if (covariance) return covariance->diagonal();
  return (values.colwise() - mean()).rowwise().squaredNorm() / static_cast<double>(count() - 1);
}

double Projections::variance_along(const VectorRef& direction) const {
  if (covariance) return direction.dot(*covariance * direction);
  const Vector along = values.transpose() * direction;
  return (along.array() - along.mean()).square().sum() / static_cast<double>(count() - 1);
}

Projections Projections::inputs(Index first, Index count) const {
  Projections part{values.middleRows(first, count), weights, {}};
  if (covariance) part.covariance = covariance->block(first, first, count, count);
  return part;
}

}  // namespace atcav::span
