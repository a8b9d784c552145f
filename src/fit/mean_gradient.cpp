#include "fit/mean_gradient.h"

#include <cmath>

namespace atcav::fit {
namespace {

// Products of equal rows differ by rounding, which is this small against their mean.
constexpr double kRounding = 1e-6;

}  // namespace

stats::RandomSpread random_spread(const pass::Projections& random) {
  const Vector weights = Vector::Constant(random.inputs(), 1 / static_cast<double>(random.inputs()));
  stats::RandomSpread spread;
  spread.count = random.count();
  spread.variance = random.variance_along(weights);
  if (std::sqrt(spread.variance) <= kRounding * std::abs(weights.dot(random.mean()))) spread.variance = 0;
  if (spread.variance == 0) return spread;
  if (random.covariance) {
    spread.slopes = *random.covariance * weights / spread.variance;
    return spread;
  }
  const auto n = static_cast<double>(spread.count);
  Vector along = random.values.transpose() * weights;
  along.array() -= along.mean();
  spread.slopes = random.values * along / ((n - 1) * spread.variance);
  const double second = along.array().square().mean();
  spread.skewness = along.array().cube().mean() / (second * std::sqrt(second));
  spread.kurtosis = along.array().square().square().mean() / (second * second);
  return spread;
}

stats::RandomSpread paired_spread(const pass::Projections& random, const pass::Projections& concept_rows) {
  stats::RandomSpread spread = random_spread(random);
  if (spread.variance == 0) return spread;
  Vector z = random.values.colwise().mean().transpose();
  Vector apart = concept_rows.values.colwise().mean().transpose() - z;
  z.array() -= z.mean();
  apart.array() -= apart.mean();
  const double second = z.array().square().mean();
  spread.of_pairs = -(apart.array() * (z.array().square() / second - 1)).mean() / std::sqrt(second);
  return spread;
}

}  // namespace atcav::fit
