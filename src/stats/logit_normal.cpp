#include "stats/logit_normal.h"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/check.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

// Normal mass beyond this many standard deviations of a peak is below 1e-18 of it.
constexpr double kReach = 9;
// Panel width in standard deviations, and in units of y around the bend of the sigmoid at y = 0: the
// sigmoid's poles at ±iπ stay outside the region where 20 nodes converge to machine precision.
constexpr double kPanel = 0.5;
constexpr double kBendPanel = 4;
constexpr double kBendReach = 48;

// s(m + step) - s(m) without cancellation.
double sigmoid_rise(double m, double step) {
  if (step > 0) return -sigmoid(m + step) * sigmoid(-m) * std::expm1(-step);
  return sigmoid(m) * sigmoid(-m - step) * std::expm1(step);
}

// Panel ends in standard deviations z: an even grid, refined where m + vz passes zero. For m ≤ 0 the
// squared rise grows like e^(2vz) up to the bend, so its peak lies at 2v or at the bend.
std::vector<double> panel_ends(double m, double v) {
  const double bend = -m / v;
  const double low = -kReach;
  const double high = std::min(2 * v, bend) + kReach;
  std::vector<double> ends;
  for (double z = low; z < high; z += kPanel) ends.push_back(z);
  ends.push_back(high);
  for (double y = -kBendReach; y <= kBendReach; y += kBendPanel) {
    const double z = bend + y / v;
    if (z > low && z < high) ends.push_back(z);
  }
  std::sort(ends.begin(), ends.end());
  return ends;
}

// Moments for m ≤ 0, as deviations from s(m): no cancellation for tiny v, none in the tail.
Moments lower_half(double m, double v) {
  using Rule = boost::math::quadrature::gauss<double, 20>;
  const std::vector<double> ends = panel_ends(m, v);
  double first = 0;
  double second = 0;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const double middle = std::midpoint(ends[i - 1], ends[i]);
    const double half = (ends[i] - ends[i - 1]) / 2;
    for (std::size_t node = 0; node < Rule::abscissa().size(); ++node) {
      for (const double offset : {-half * Rule::abscissa()[node], half * Rule::abscissa()[node]}) {
        const double z = middle + offset;
        const double rise = sigmoid_rise(m, v * z);
        const double weighted = half * Rule::weights()[node] * normal_pdf(z) * rise;
        first += weighted;
        second += weighted * rise;
      }
    }
  }
  return {std::max(0.0, sigmoid(m) + first), std::max(0.0, second - first * first)};
}

void check_parameters(const char* function, double location, double scale) {
  check_finite(function, "location", location);
  check_non_negative(function, "scale", scale);
}

}  // namespace

Moments logit_normal(double location, double scale) {
  check_parameters("logit_normal", location, scale);
  if (scale == 0) return {sigmoid(location), 0};
  Moments moments = lower_half(-std::abs(location), scale);
  if (location > 0) moments.mean = 1 - moments.mean;
  return moments;
}

double bimodal_location(double scale) {
  check_non_negative("bimodal_location", "scale", scale);
  if (std::isinf(scale)) return scale;
  const double square = scale * scale;
  if (!(square > 2)) return 0;
  const double t = std::sqrt(1 - 2 / square);
  // artanh t, whose 1 - t cancels for large v.
  return square * t - 2 * std::log((1 + t) * scale / std::sqrt(2.0));
}

double bimodal_scale(double signal) {
  check_finite("bimodal_scale", "signal", signal);
  const double wanted = std::abs(signal);
  // The bound over v rises from 0 and lies below v, above v - 1/v - 2 log(√2 v)/v.
  double low = std::sqrt(2.0);
  double high = wanted + 4;
  while (std::nextafter(low, high) < high) {
    const double middle = std::midpoint(low, high);
    if (middle == low || middle == high) break;
    (bimodal_location(middle) > wanted * middle ? high : low) = middle;
  }
  return low;
}

Moments logit_normal_approximate(double location, double scale) {
  check_parameters("logit_normal_approximate", location, scale);
  const double argument = location / std::hypot(1, std::sqrt(kTau1) * scale);
  const double spread = 1 - 1 / std::hypot(1, std::sqrt(kTau2) * scale);
  return {sigmoid(argument), sigmoid_derivative(argument) * spread};
}

}  // namespace atcav::stats
