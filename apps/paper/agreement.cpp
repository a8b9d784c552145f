#include "apps/paper/agreement.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <limits>

#include "core/check.h"

namespace atcav::paper {

void Agreement::add(const Estimate& simulated, double theory) {
  const double distance = std::abs(simulated.value - theory);
  const double infinite = std::numeric_limits<double>::infinity();
  const double deviation = simulated.error > 0 ? distance / simulated.error : distance > 0 ? infinite : 0;
  largest_ = std::max(largest_, deviation);
  ++points_;
}

Claim Agreement::check(const std::string& text, double bound) const {
  Claim claim = finding(text, bound);
  claim.check = true;
  return claim;
}

Claim Agreement::finding(const std::string& text, double bound) const {
  return {text, {}, {}, largest_, largest_ <= bound};
}

SampleMoments sample_moments(const VectorRef& values) {
  check_at_least("sample_moments", "number of values", values.size(), 2);
  const auto count = static_cast<double>(values.size());
  SampleMoments moments;
  moments.mean.value = values.mean();
  const double size = values.cwiseAbs().maxCoeff();
  // Equal values up to rounding do not vary; a ratio to such a variance would mean nothing.
  if (values.maxCoeff() - values.minCoeff() <= 1e-12 * size) return moments;
  const Eigen::ArrayXd squares = (values.array() - moments.mean.value).square();
  const double second = squares.mean();
  moments.variance.value = second * count / (count - 1);
  moments.mean.error = std::sqrt(moments.variance.value / count);
  const double fourth = squares.square().mean() - second * second * (count - 3) / (count - 1);
  moments.variance.error = std::sqrt(std::max(0.0, fourth) / count);
  return moments;
}

double mean_variance(const Matrix& columns) {
  double sum = 0;
  for (Index j = 0; j < columns.cols(); ++j) sum += sample_moments(Vector(columns.col(j))).variance.value;
  return sum / static_cast<double>(columns.cols());
}

Estimate share(Index events, Index count) {
  check_at_least("share", "count", count, 1);
  const auto total = static_cast<double>(count);
  const double value = static_cast<double>(events) / total;
  return {value, std::sqrt(value * (1 - value) / total)};
}

Index fewest_plausible(Index count, double probability, double level) {
  check_at_least("fewest_plausible", "count", count, 1);
  check_fraction("fewest_plausible", "probability", probability);
  const boost::math::binomial trials(static_cast<double>(count), probability);
  Index k = 0;
  while (k < count && boost::math::cdf(trials, static_cast<double>(k)) < level) ++k;
  return k;
}

double power_law_exponent(const std::vector<double>& x, const std::vector<double>& y) {
  check_same("power_law_exponent", "values", "x", std::ssize(x), "y", std::ssize(y));
  check_at_least("power_law_exponent", "number of points", std::ssize(x), 2);
  const Eigen::ArrayXd log_x = Eigen::Map<const Eigen::ArrayXd>(x.data(), std::ssize(x)).log();
  const Eigen::ArrayXd log_y = Eigen::Map<const Eigen::ArrayXd>(y.data(), std::ssize(y)).log();
  const Eigen::ArrayXd centred = log_x - log_x.mean();
  return (centred * log_y).sum() / centred.square().sum();
}

}  // namespace atcav::paper
