#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "atcav/theory.h"
#include "core/check.h"
#include "stats/class_law.h"

namespace atcav::stats {
namespace {

double count(Index n) { return static_cast<double>(n); }

CavLaw pattern(const TwoClasses& classes) {
  return {classes.of_concept.mean - classes.random.mean,
          classes.random.covariance / count(classes.n_random) +
              classes.of_concept.covariance / count(classes.n_concept)};
}

}  // namespace

CavLaw pattern_law(const TwoClasses& classes) {
  check_two_classes("pattern_law", classes);
  return pattern(classes);
}

CavLaw fast_law(const TwoClasses& classes) {
  check_two_classes("fast_law", classes);
  const double c = count(classes.n_random) / count(classes.n_random + classes.n_concept);
  const CavLaw law = pattern(classes);
  return {c * law.mean, c * c * law.covariance};
}

CavLaw many_random_law(const TwoClasses& classes) {
  check_two_classes("many_random_law", classes);
  return {classes.of_concept.mean - classes.random.mean,
          classes.of_concept.covariance / count(classes.n_concept)};
}

ImbalancedLogistic imbalanced_logistic(const TwoClasses& classes, double cost) {
  check_two_classes("imbalanced_logistic", classes);
  if (!(cost > 0)) fail_argument("imbalanced_logistic", fmt::format("cost is {}, must be > 0", cost));
  const Matrix& sigma = classes.random.covariance;
  Matrix curvature = sigma;
  curvature.diagonal().array() += 1 / (cost * count(classes.n_concept));
  const Eigen::LLT<Matrix> solver(curvature);
  if (solver.info() != Eigen::Success)
    fail_argument("imbalanced_logistic",
                  "covariance of random is singular, must be invertible or cost finite");
  ImbalancedLogistic law;
  law.mean = solver.solve(classes.of_concept.mean - classes.random.mean);
  const Vector spread = sigma * law.mean;
  law.tilt = law.mean.dot(spread);
  const auto between = [&](const Matrix& noise) {
    return Matrix(solver.solve(solver.solve(noise).transpose()));
  };
  law.from_random =
      std::exp(law.tilt) / count(classes.n_random) * between(sigma + spread * spread.transpose());
  law.from_concept = between(classes.of_concept.covariance) / count(classes.n_concept);
  return law;
}

double total_variance(const CavLaw& law) { return law.covariance.trace(); }

double popoviciu_bound(double low, double high) {
  check_finite("popoviciu_bound", "low", low);
  check_finite("popoviciu_bound", "high", high);
  if (high < low) fail_argument("popoviciu_bound", fmt::format("high is {}, must be >= low = {}", high, low));
  return (high - low) * (high - low) / 4;
}

}  // namespace atcav::stats
