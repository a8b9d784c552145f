#include "atcav/posterior.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

void check_errors(const char* function, const VectorRef& sensitivities, const VectorRef& standard_errors) {
  check_at_least(function, "sensitivities", sensitivities.size(), 1);
  check_same(function, "values", "sensitivities", sensitivities.size(), "standard_errors",
             standard_errors.size());
  check_non_negative(function, "smallest standard error", standard_errors.minCoeff());
}

double sign_probability(double value, double error) {
  if (error > 0) return normal_cdf(value / error);
  return value > 0 ? 1 : value < 0 ? 0 : 0.5;
}

constexpr double kTowardsIdentity = 0.02;
constexpr Index kPriors = 25;
constexpr double kLeastPrior = -2.5;  // log10 τ²
constexpr double kLargestPrior = 3.5;

// In coordinates where the noise is the identity and the prior is diagonal, every τ² costs m² operations.
Vector shared_signs(const Vector& scaled, const Matrix& noise, const Matrix& prior) {
  const Eigen::LLT<Eigen::MatrixXd> root((1 - kTowardsIdentity) * noise +
                                         kTowardsIdentity * Matrix::Identity(noise.rows(), noise.cols()));
  const Eigen::MatrixXd half = root.matrixL().solve(Eigen::MatrixXd(prior));
  const Eigen::MatrixXd whole = root.matrixL().solve(half.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen((whole + whole.transpose()) / 2);
  const Eigen::ArrayXd spread = eigen.eigenvalues().array().max(0);
  const Eigen::ArrayXd seen = (eigen.eigenvectors().transpose() * root.matrixL().solve(scaled)).array();
  const Eigen::MatrixXd back = root.matrixL() * eigen.eigenvectors();
  const Eigen::MatrixXd back_squared = back.cwiseAbs2();

  Vector log_weights(kPriors);
  Matrix probabilities(kPriors, scaled.size());
  for (Index k = 0; k < kPriors; ++k) {
    const double step = static_cast<double>(k) / static_cast<double>(kPriors - 1);
    const double tau_squared = std::pow(10.0, kLeastPrior + step * (kLargestPrior - kLeastPrior));
    const Eigen::ArrayXd total = 1 + tau_squared * spread;
    log_weights(k) = -0.5 * (total.log() + seen.square() / total).sum();
    const Eigen::ArrayXd kept = 1 - total.inverse();
    const Vector mean = back * (kept * seen).matrix();
    const Vector variance = back_squared * kept.matrix();
    for (Index j = 0; j < scaled.size(); ++j)
      probabilities(k, j) = sign_probability(mean(j), std::sqrt(variance(j)));
  }
  Vector weights = (log_weights.array() - log_weights.maxCoeff()).exp();
  weights /= weights.sum();
  return (probabilities.transpose() * weights).cwiseMin(1);  // weights add up to 1 but for rounding
}

}  // namespace

Vector flat_posterior(const VectorRef& sensitivities, const VectorRef& standard_errors) {
  check_errors("flat_posterior", sensitivities, standard_errors);
  return sensitivities.binaryExpr(standard_errors,
                                  [](double s, double se) { return sign_probability(s, se); });
}

EmpiricalBayes empirical_bayes(const VectorRef& sensitivities, const VectorRef& standard_errors) {
  check_errors("empirical_bayes", sensitivities, standard_errors);
  EmpiricalBayes result;
  result.tau_squared =
      std::max(0.0, (sensitivities.array().square() - standard_errors.array().square()).mean());
  const double tau_squared = result.tau_squared;
  result.probability = sensitivities.binaryExpr(standard_errors, [tau_squared](double s, double se) {
    if (tau_squared == 0) return 0.5;
    return sign_probability(s * std::sqrt(tau_squared / (tau_squared + se * se)), se);
  });
  return result;
}

Vector shared_posterior(const VectorRef& sensitivities, const MatrixRef& covariance, const MatrixRef& gram) {
  const Index m = sensitivities.size();
  check_errors("shared_posterior", sensitivities, covariance.diagonal());
  check_same("shared_posterior", "rows", "sensitivities", m, "gram", gram.rows());
  Vector probability(m);
  std::vector<Index> noisy;
  for (Index j = 0; j < m; ++j) {
    probability(j) = sign_probability(sensitivities(j), 0);
    if (covariance(j, j) > 0) noisy.push_back(j);
  }
  if (noisy.empty()) return probability;
  const Vector errors = covariance.diagonal()(noisy).cwiseSqrt();
  const Eigen::MatrixXd scale = errors.cwiseInverse().asDiagonal();
  Matrix prior = scale * gram(noisy, noisy) * scale;
  const double trace = prior.trace();
  if (trace > 0) prior *= static_cast<double>(noisy.size()) / trace;
  const Matrix noise = scale * covariance(noisy, noisy) * scale;
  probability(noisy) = shared_signs(sensitivities(noisy).cwiseQuotient(errors), noise, prior);
  return probability;
}

Reliability reliability(const VectorRef& probabilities, const VectorRef& outcomes, int bins) {
  check_at_least("reliability", "bins", bins, 1);
  check_at_least("reliability", "probabilities", probabilities.size(), 1);
  check_same("reliability", "values", "probabilities", probabilities.size(), "outcomes", outcomes.size());
  Reliability result;
  result.bins.resize(static_cast<std::size_t>(bins));
  for (Index i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities(i);
    if (!(p >= 0 && p <= 1)) fail_argument("reliability", "a probability is outside [0, 1]");
    ReliabilityBin& bin =
        result.bins[static_cast<std::size_t>(std::min(bins - 1, static_cast<int>(p * bins)))];
    result.brier += (p - outcomes(i)) * (p - outcomes(i)) / static_cast<double>(probabilities.size());
    bin.mean_probability += p;
    bin.share_true += outcomes(i);
    ++bin.count;
  }
  for (ReliabilityBin& bin : result.bins) {
    if (bin.count == 0) continue;
    result.expected_calibration_error +=
        std::abs(bin.mean_probability - bin.share_true) / static_cast<double>(probabilities.size());
    bin.mean_probability /= static_cast<double>(bin.count);
    bin.share_true /= static_cast<double>(bin.count);
  }
  return result;
}

}  // namespace atcav::stats
