#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <utility>

#include "atcav/cav.h"
#include "stats/normal.h"
#include "stats/svm.h"

// For the tests of fits: the same directions from solvers that share nothing with newton.h, for small
// problems.
namespace atcav::stats {

inline Vector signs(Index random, Index positive) {
  Vector labels = Vector::Ones(random + positive);
  labels.head(random).setConstant(-1);
  return labels;
}

// Newton's method with the whole Hessian factorised, to the last digit.
inline Vector plain_logistic(const Matrix& random, const Matrix& positive, double cost) {
  const Index n = random.rows() + positive.rows();
  Matrix x(n, random.cols() + 1);
  x << random, Vector::Ones(random.rows()), positive, Vector::Ones(positive.rows());
  const Eigen::RowVectorXd centre = x.colwise().mean();
  x.leftCols(random.cols()).rowwise() -= centre.head(random.cols());
  Vector y = Vector::Ones(n);
  y.head(random.rows()).setConstant(-1);
  Vector penalty = Vector::Ones(x.cols());
  penalty(random.cols()) = 0;
  const auto value = [&](const Vector& w) {
    const Vector t = y.cwiseProduct(x * w);
    return 0.5 * w.cwiseProduct(penalty).dot(w) + cost * t.unaryExpr([](double m) {
                                                            return m > 0 ? std::log1p(std::exp(-m))
                                                                         : std::log1p(std::exp(m)) - m;
                                                          }).sum();
  };
  Vector w = Vector::Zero(x.cols());
  for (int i = 0; i < 200; ++i) {
    const Vector f = x * w;
    const Vector pull = y.binaryExpr(f, [](double a, double b) { return a * stats::sigmoid(-a * b); });
    const Vector curved = f.unaryExpr(&stats::sigmoid_derivative);
    Eigen::MatrixXd hessian = cost * x.transpose() * curved.asDiagonal() * x;
    hessian.diagonal() += penalty;
    const Vector step = hessian.ldlt().solve(cost * x.transpose() * pull - w.cwiseProduct(penalty));
    double length = 1;
    // Near the end the objective's rounding would shorten steps that are right.
    while (step.norm() > 1e-3 * w.norm() && length > 1e-9 &&
           value(w + length * step) > value(w) + 1e-12 * std::abs(value(w)))
      length /= 2;
    w += length * step;
    if (step.norm() <= 1e-13 * w.norm()) break;
  }
  return w.head(random.cols());
}

inline Vector plain_ridge(Matrix x, Vector y, const CavOptions& options) {
  const auto n = static_cast<double>(x.rows());
  if (options.centred) {
    centre(x);
    y.array() -= y.mean();
  }
  Eigen::MatrixXd system = x * x.transpose() / n;
  system.diagonal().array() += ridge_penalty(options.lambda, system.trace());
  return x.transpose() * system.llt().solve(y) / std::sqrt(n);
}

// By the interior point method, whose error its gap bounds.
inline Vector plain_svm(Matrix x, const Vector& y, double cost) {
  centre(x);
  const double unit = unit_of(x.rowwise().squaredNorm().mean());
  x /= unit;
  CavOptions options{.method = CavMethod::kSvm, .cost = cost * unit * unit};
  const double reached = cost_in_reach(options, x.rowwise().norm());
  const WeightedFit fit = fit_svm(Kernel::of_rows(x, 1), {Vector::Ones(y.size()), y}, reached);
  return std::min(options.cost / reached, 1.0) / unit * (x.transpose() * fit.at.coefficients);
}

inline Vector plain_direction(const Matrix& random, const Matrix& positive, const CavOptions& options) {
  Matrix x(random.rows() + positive.rows(), random.cols());
  x << random, positive;
  const Vector y = signs(random.rows(), positive.rows());
  if (options.method == CavMethod::kRidge) return plain_ridge(x, y, options);
  if (options.method == CavMethod::kSvm) return plain_svm(x, y, options.cost);
  if (options.method != CavMethod::kLogistic) return fit_cav(random, positive, options).direction;
  if (x.cols() <= x.rows()) return plain_logistic(random, positive, options.cost);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(x.transpose());
  const Matrix q = qr.householderQ() * Eigen::MatrixXd::Identity(x.cols(), x.rows());
  return q * plain_logistic(random * q, positive * q, options.cost);
}

}  // namespace atcav::stats
