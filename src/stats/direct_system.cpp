#include "stats/direct_system.h"

#include <limits>

namespace atcav::stats {
namespace {

constexpr int kMostRefinements = 5;

}  // namespace

DirectSystem::DirectSystem(const Kernel& kernel, const std::vector<Index>& chosen) {
  if (kernel.has_rows()) {
    rows_ = kernel.rows()(chosen, Eigen::all);
  } else {
    gram_ = kernel.products()(chosen, chosen);
  }
}

void DirectSystem::set_diagonal(const Vector& diagonal) {
  diagonal_ = diagonal;
  Eigen::MatrixXd small = gram_;
  if (rows_.size() == 0) {
    small.diagonal() += diagonal_;
  } else {
    const Matrix scaled = diagonal_.cwiseSqrt().cwiseInverse().asDiagonal() * rows_;
    small = Eigen::MatrixXd::Identity(rows_.cols(), rows_.cols());
    small.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  }
  factor_.compute(small.selfadjointView<Eigen::Lower>());
}

Vector DirectSystem::times(const Vector& vector) const {
  if (rows_.size() == 0) return gram_ * vector;
  return rows_ * (rows_.transpose() * vector);
}

Vector DirectSystem::solve(const Vector& right) const {
  Vector x = solve_once(right);
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMostRefinements; ++i) {
    const Vector residual = right - diagonal_.cwiseProduct(x) - times(x);
    if (!(residual.norm() < 0.5 * before)) break;
    before = residual.norm();
    x += solve_once(residual);
  }
  return x;
}

Vector DirectSystem::solve_once(const Vector& right) const {
  if (rows_.size() == 0) return factor_.solve(right);
  const Vector x = right.cwiseQuotient(diagonal_);
  return x - (rows_ * factor_.solve(rows_.transpose() * x)).cwiseQuotient(diagonal_);
}

}  // namespace atcav::stats
