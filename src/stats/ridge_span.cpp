#include "stats/ridge_span.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <limits>

#include "core/check.h"

namespace atcav::stats {

Vector ridge_coefficients(const MatrixRef& products, Index random, double lambda) {
  const Index n = products.rows();
  check_same("ridge_coefficients", "columns", "the products", products.cols(), "their rows", n);
  check_within("ridge_coefficients", "random rows", random, 1, n - 1);
  const auto count = static_cast<double>(n);
  Eigen::MatrixXd centred = products;
  const Vector means = centred.rowwise().mean();
  centred.colwise() -= means;
  centred.rowwise() += (means.mean() - means.array()).matrix().transpose();
  Vector labels(n);
  labels.head(random).setConstant(-1 / static_cast<double>(random));
  labels.tail(n - random).setConstant(1 / static_cast<double>(n - random));
  // A penalty that rounding rivals divides what is left of directions that no row has.
  constexpr double kFirm = 1e-8;
  if (count * lambda > kFirm * centred.trace()) {
    centred.diagonal().array() += count * lambda;
    Vector found = centred.llt().solve(labels);
    return found.array() - found.mean();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(centred);
  const Vector& values = parts.eigenvalues();
  const double least = count * std::numeric_limits<double>::epsilon() * values(n - 1);
  Vector along = parts.eigenvectors().transpose() * labels;
  for (Index i = 0; i < n; ++i) along(i) = values(i) > least ? along(i) / (values(i) + count * lambda) : 0;
  return parts.eigenvectors() * along;
}

}  // namespace atcav::stats
