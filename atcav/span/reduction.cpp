#include "atcav/span/reduction.h"

#include <Eigen/Dense>
#include <utility>

#include "atcav/base/check.h"
#include "atcav/stats/gram_factor.h"

namespace atcav::span {

Reduction reduce(Matrix products, const Matrix& projections, int threads) {
  check_same("reduce", "columns", "projections", projections.cols(), "products (rows)", products.rows());
  stats::GramFactor factor = stats::factor_gram(std::move(products), threads);
  Reduction reduction;
  reduction.gradients = stats::coordinates(factor, projections, threads);
  reduction.lower = factor.rows(factor.pivots, Eigen::all);
  reduction.features = std::move(factor.rows);
  reduction.pivots = std::move(factor.pivots);
  return reduction;
}

// Q w = X_pivotsᵀ (L⁻ᵀ w).
Vector as_combination(const Reduction& reduction, const Vector& direction) {
  const Vector at_pivots = reduction.lower.triangularView<Eigen::Lower>().transpose().solve(direction);
  Vector weights = Vector::Zero(reduction.features.rows());
  weights(reduction.pivots) = at_pivots;
  return weights;
}

}  // namespace atcav::span
