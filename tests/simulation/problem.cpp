#include "simulation/problem.h"

#include <Eigen/Dense>
#include <cmath>

#include "atcav/stats/class_law.h"

namespace atcav::simulation {
namespace {

constexpr double kRandomRho = 0.2;

Matrix root_of(const Matrix& covariance) {
  return Eigen::MatrixXd(covariance).llt().matrixL().toDenseMatrix();
}

span::Projections draw_set(const Matrix& root, const Vector& mean, Index count, Stream& stream) {
  span::Projections set;
  set.values = root * stream.normal_matrix(kInputs, count);
  set.values.colwise() += mean;
  set.weights = Vector::Ones(count);
  return set;
}

}  // namespace

Problem draw_problem(const Setting& setting, Stream& stream) {
  Vector mu = stream.normal_matrix(kColumns, 1);
  mu *= setting.length / mu.norm();
  const double xi = setting.lean == Lean::kDrawn ? stream.normal() : 1;
  Matrix gradients = stream.normal_matrix(kInputs, kColumns);
  gradients.rowwise() += 0.5 * xi * mu.transpose();
  const auto projected_root = [&gradients](double rho) {
    return root_of(gradients * stats::toeplitz_covariance(kColumns, rho) * gradients.transpose());
  };
  return {gradients * mu, projected_root(kRandomRho), projected_root(setting.concept_rho)};
}

Sample draw_sample(const Problem& problem, Sizes sizes, Stream& stream) {
  span::Projections random = draw_set(problem.random_root, Vector::Zero(kInputs), sizes.random, stream);
  return {std::move(random), draw_set(problem.concept_root, problem.truth, sizes.of_concept, stream)};
}

Matrix draw_sensitivities(const Problem& problem, Sizes sizes, Index count, Stream& stream) {
  const Matrix covariance =
      problem.random_root * problem.random_root.transpose() / static_cast<double>(sizes.random) +
      problem.concept_root * problem.concept_root.transpose() / static_cast<double>(sizes.of_concept);
  Matrix draws = stream.normal_matrix(count, kInputs) * root_of(covariance).transpose();
  draws.rowwise() += problem.truth.transpose();
  return draws;
}

}  // namespace atcav::simulation
