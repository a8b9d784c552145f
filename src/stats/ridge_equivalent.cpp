#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "atcav/theory.h"
#include "core/check.h"
#include "stats/class_law.h"

namespace atcav::stats {
namespace {

double size(const TwoClasses& classes) { return static_cast<double>(classes.n_random + classes.n_concept); }

Matrix second_moments(const ClassLaw& law) { return law.covariance + law.mean * law.mean.transpose(); }

// Tr(AB) for symmetric A.
double trace_of_product(const Matrix& a, const Matrix& b) { return a.cwiseProduct(b).sum(); }

// Both classes as the equivalent sees them, from its centre.
TwoClasses seen_from(const TwoClasses& classes, const Vector& centre) {
  TwoClasses seen = classes;
  seen.random.mean -= centre;
  seen.of_concept.mean -= centre;
  return seen;
}

// Sum over both classes with labels, n₁ f₁ y₁ μ₁ + n₂ f₂ y₂ μ₂.
Vector labelled_means(const TwoClasses& seen, const RidgeEquivalent& ridge, double f_random,
                      double f_concept) {
  return static_cast<double>(seen.n_concept) * f_concept * ridge.label_concept * seen.of_concept.mean +
         static_cast<double>(seen.n_random) * f_random * ridge.label_random * seen.random.mean;
}

// Moves the origin and the labels to their means. An example's residual is 1/(1+δ) of what it would be had
// it not been fitted, and the intercept makes residuals add up to 0: so a class weighs n_ℓ/(1+δ_ℓ).
void centre_classes(const TwoClasses& classes, RidgeEquivalent& ridge) {
  const double weight_random = static_cast<double>(classes.n_random) / (1 + ridge.delta_random);
  const double weight_concept = static_cast<double>(classes.n_concept) / (1 + ridge.delta_concept);
  const double share = weight_concept / (weight_random + weight_concept);
  ridge.centre = (1 - share) * classes.random.mean + share * classes.of_concept.mean;
  ridge.label_random = -2 * share;
  ridge.label_concept = 2 * (1 - share);
}

}  // namespace

RidgeEquivalent ridge_equivalent(const TwoClasses& classes, double lambda, const RidgeOptions& options) {
  check_two_classes("ridge_equivalent", classes);
  check_positive("ridge_equivalent", "lambda", lambda);
  check_at_least("ridge_equivalent", "max_iterations", options.max_iterations, 1);
  const double n = size(classes);
  const double share_random = static_cast<double>(classes.n_random) / n;
  const double share_concept = static_cast<double>(classes.n_concept) / n;
  const Index d = classes.random.mean.size();
  const Matrix identity = Matrix::Identity(d, d);

  RidgeEquivalent ridge;
  ridge.centre = Vector::Zero(d);
  while (!ridge.converged && ridge.iterations < options.max_iterations) {
    if (options.centred) centre_classes(classes, ridge);
    const TwoClasses seen = seen_from(classes, ridge.centre);
    const Matrix c_random = second_moments(seen.random);
    const Matrix c_concept = second_moments(seen.of_concept);
    const Matrix inverse = share_random / (1 + ridge.delta_random) * c_random +
                           share_concept / (1 + ridge.delta_concept) * c_concept + lambda * identity;
    ridge.resolvent = inverse.llt().solve(identity);
    const double delta_random = trace_of_product(c_random, ridge.resolvent) / n;
    const double delta_concept = trace_of_product(c_concept, ridge.resolvent) / n;
    ridge.residual = std::max(std::abs(delta_random - ridge.delta_random) / (1 + delta_random),
                              std::abs(delta_concept - ridge.delta_concept) / (1 + delta_concept));
    ridge.delta_random = delta_random;
    ridge.delta_concept = delta_concept;
    ++ridge.iterations;
    ridge.converged = ridge.residual <= options.tolerance;
  }
  const Vector m = labelled_means(seen_from(classes, ridge.centre), ridge, 1 / (1 + ridge.delta_random),
                                  1 / (1 + ridge.delta_concept));
  ridge.mean = ridge.resolvent * m / std::sqrt(n);
  return ridge;
}

double ridge_second_moment(const TwoClasses& classes, const RidgeEquivalent& ridge, const MatrixRef& b) {
  check_two_classes("ridge_second_moment", classes);
  const TwoClasses seen = seen_from(classes, ridge.centre);
  const Index d = classes.random.mean.size();
  check_same("ridge_second_moment", "rows", "b", b.rows(), "the resolvent", d);
  check_same("ridge_second_moment", "columns", "b", b.cols(), "the resolvent", d);
  check_same("ridge_second_moment", "rows", "the resolvent", ridge.resolvent.rows(), "the covariance", d);
  const double n = size(classes);
  const Matrix& q = ridge.resolvent;
  const Matrix& sigma1 = classes.random.covariance;
  const Matrix& sigma2 = classes.of_concept.covariance;
  const double damp1 = 1 / ((1 + ridge.delta_random) * (1 + ridge.delta_random));
  const double damp2 = 1 / ((1 + ridge.delta_concept) * (1 + ridge.delta_concept));
  const double weight1 = static_cast<double>(classes.n_random) / n * damp1;
  const double weight2 = static_cast<double>(classes.n_concept) / n * damp2;

  // The paper's Ṽ, Ã, t̄, d: how the noise of each class feeds back through the resolvent.
  const Matrix q1q = q * sigma1 * q;
  const Matrix q2q = q * sigma2 * q;
  Eigen::Matrix2d v;
  v << trace_of_product(sigma1, q1q), trace_of_product(sigma1, q2q), trace_of_product(sigma2, q1q),
      trace_of_product(sigma2, q2q);
  const Eigen::Vector2d a(weight1, weight2);
  const Matrix symmetric = 0.5 * (b + b.transpose());
  const Eigen::Vector2d t(trace_of_product(symmetric, q1q) / n, trace_of_product(symmetric, q2q) / n);
  const Eigen::Matrix2d feedback = Eigen::Matrix2d::Identity() - v / n * a.asDiagonal();
  const Eigen::Vector2d d_bar = feedback.inverse() * t;

  // K = Q̄BQ̄ + Σ_ℓ (n_ℓ/n) d_ℓ/(1+δ_ℓ)² Q̄C_ℓQ̄.
  const Matrix inner = symmetric + weight1 * d_bar(0) * second_moments(seen.random) +
                       weight2 * d_bar(1) * second_moments(seen.of_concept);
  const Matrix k = q * inner * q;
  const double noise1 = trace_of_product(sigma1, k);
  const double noise2 = trace_of_product(sigma2, k);
  const Vector m = labelled_means(seen, ridge, 1 / (1 + ridge.delta_random), 1 / (1 + ridge.delta_concept));
  const Vector m_prime = labelled_means(seen, ridge, noise1 / n * damp1, noise2 / n * damp2);
  const double noise = weight1 * ridge.label_random * ridge.label_random * noise1 +
                       weight2 * ridge.label_concept * ridge.label_concept * noise2;
  return m.dot(k * m) / n + noise - 2 * m_prime.dot(q * m) / n;
}

double ridge_total_variance(const TwoClasses& classes, const RidgeEquivalent& ridge) {
  const Index d = ridge.mean.size();
  return ridge_second_moment(classes, ridge, Matrix(Matrix::Identity(d, d))) - ridge.mean.squaredNorm();
}

ScoreLaw ridge_score_law(const TwoClasses& classes, const RidgeEquivalent& ridge, const ClassLaw& data) {
  check_class_law("ridge_score_law", "data", data);
  const double n = size(classes);
  const Vector mean = data.mean - ridge.centre;
  const double projected = ridge.mean.dot(mean);
  const Matrix outer = mean * mean.transpose();
  ScoreLaw law;
  law.total.mean = projected / std::sqrt(n);
  law.within_variance = ridge_second_moment(classes, ridge, data.covariance) / n;
  // Var_w(wᵀx̄) is small beside its parts; the equivalent's error must not make it negative.
  const double across = ridge_second_moment(classes, ridge, outer) - projected * projected;
  law.total.variance = law.within_variance + std::max(0.0, across) / n;
  return law;
}

ErrorPrediction predict_ridge_error(const TwoClasses& classes, const RidgeEquivalent& ridge,
                                    double concept_weight) {
  return predict_error(ridge_score_law(classes, ridge, classes.random).total,
                       ridge_score_law(classes, ridge, classes.of_concept).total, concept_weight);
}

}  // namespace atcav::stats
