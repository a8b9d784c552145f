#include "fit/reduction.h"

#include <Eigen/Dense>
#include <utility>

#include "core/check.h"
#include "stats/gram_factor.h"

namespace atcav::fit {

Reduction reduce(Matrix products, const Matrix& projections) {
  check_same("reduce", "columns", "projections", projections.cols(), "products (rows)", products.rows());
  stats::GramFactor factor = stats::factor_gram(std::move(products));
  if (factor.pivots.empty())
    return {Matrix::Zero(projections.cols(), 1), Matrix::Zero(projections.rows(), 1), {}};
  Matrix gradients = stats::coordinates(factor, projections);
  return {std::move(factor.rows), std::move(gradients), std::move(factor.pivots)};
}

// X_pivots = L Qᵀ with Q orthonormal and L = F_pivots lower triangular, so Q w = X_pivotsᵀ (L⁻ᵀ w).
Vector as_combination(const Reduction& reduction, const Vector& direction) {
  Vector weights = Vector::Zero(reduction.features.rows());
  if (reduction.pivots.empty()) return weights;
  const Eigen::MatrixXd lower = reduction.features(reduction.pivots, Eigen::all);
  const Vector at_pivots = lower.triangularView<Eigen::Lower>().transpose().solve(direction);
  weights(reduction.pivots) = at_pivots;
  return weights;
}

}  // namespace atcav::fit
