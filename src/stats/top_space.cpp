#include "stats/top_space.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

constexpr Index kMostDirections = 64;
constexpr Index kRowsPerDirection = 32;  // so that M costs no more than a product with K
constexpr int kRounds = 3;
constexpr double kWorthIt = 4;  // the largest eigenvalue over the last one

Matrix orthonormal(const Matrix& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), columns.cols());
}

}  // namespace

TopSpace find_top_space(const Vector& diagonal, const MultiplyBlock& multiply) {
  const Index n = diagonal.size();
  TopSpace top{Matrix(n, 0), diagonal, diagonal};
  const Index count = std::min(kMostDirections, n / kRowsPerDirection / 8 * 8);
  if (count == 0) return top;
  Matrix basis = Stream(1).normal_matrix(n, count);
  for (int round = 0; round < kRounds; ++round) basis = orthonormal(multiply(basis));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(basis.transpose() * multiply(basis));
  const Vector& values = solver.eigenvalues();
  if (!(values.maxCoeff() > kWorthIt * values.minCoeff())) return top;
  top.roots = basis * (solver.eigenvectors() * values.cwiseMax(0).cwiseSqrt().asDiagonal());
  top.left = (diagonal - top.roots.rowwise().squaredNorm()).cwiseMax(0);
  return top;
}

TopPreconditioner::TopPreconditioner(const TopSpace& top, const Vector& curved)
    : top_(&top), roots_(curved.cwiseSqrt()), inverse_((1 + curved.array() * top.left.array()).inverse()) {
  if (top.roots.cols() == 0) return;
  const Vector weights = curved.cwiseProduct(inverse_);
  Eigen::MatrixXd inner = top.roots.transpose() * (weights.asDiagonal() * top.roots);
  inner.diagonal().array() += 1;
  const Eigen::LLT<Eigen::MatrixXd> factor(inner);
  root_ = factor.matrixL().solve(Eigen::MatrixXd::Identity(inner.rows(), inner.cols()));
}

Vector TopPreconditioner::operator()(const Vector& values) const {
  Vector result = inverse_.cwiseProduct(values);
  if (top_->roots.cols() == 0) return result;
  const Vector along = root_.transpose() * (root_ * (top_->roots.transpose() * roots_.cwiseProduct(result)));
  result -= inverse_.cwiseProduct(roots_).cwiseProduct(top_->roots * along);
  return result;
}

Vector TopPreconditioner::guess(const Vector& values) const {
  Vector product = top_->left.cwiseProduct(values);
  if (top_->roots.cols() > 0) product += top_->roots * (top_->roots.transpose() * values);
  return roots_.cwiseProduct(product);
}

}  // namespace atcav::stats
