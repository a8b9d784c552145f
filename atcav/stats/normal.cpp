#include "atcav/stats/normal.h"

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "atcav/base/check.h"

namespace atcav::stats {

double normal_pdf(double x) {
  return std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double normal_quantile(double p) {
  check_fraction("normal_quantile", "p", p);
  return -std::numbers::sqrt2 * boost::math::erfc_inv(2 * p);
}

double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

double sigmoid_derivative(double x) {
  const double e = std::exp(-std::abs(x));
  return e / ((1 + e) * (1 + e));
}

}  // namespace atcav::stats
