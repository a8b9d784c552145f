#include "stats/normal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/check.h"
#include "core/cpu_clones.h"
#include "core/parallel.h"

namespace atcav::stats {
namespace {

constexpr Index kLanes = 8;

// e^t for t ≤ 0, at least e^-708: 2ⁿ eʳ with |r| ≤ ln 2 / 2 and Taylor's series, whose next term is 4e-18.
inline double exp_of_negative(double t) {
  constexpr double kLog2E = 1.4426950408889634074;
  constexpr double kLn2High = 0x1.62e42fefa38p-1;  // few enough digits for n · this to be exact
  constexpr double kLn2Low = 0x1.ef35793c7673p-45;
  constexpr double kRound = 0x1.8p52;  // adding it leaves an integer in the last bits
  t = t < -708 ? -708 : t;
  const double shifted = t * kLog2E + kRound;
  const double n = shifted - kRound;
  const double r = (t - n * kLn2High) - n * kLn2Low;
  double e = 1.0 / 6227020800;
  e = e * r + 1.0 / 479001600;
  e = e * r + 1.0 / 39916800;
  e = e * r + 1.0 / 3628800;
  e = e * r + 1.0 / 362880;
  e = e * r + 1.0 / 40320;
  e = e * r + 1.0 / 5040;
  e = e * r + 1.0 / 720;
  e = e * r + 1.0 / 120;
  e = e * r + 1.0 / 24;
  e = e * r + 1.0 / 6;
  e = e * r + 0.5;
  e = e * r + 1;
  e = e * r + 1;
  return e * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

inline double sigmoid_of(double y) {
  const double e = exp_of_negative(y < 0 ? y : -y);
  return (y < 0 ? e : 1) / (1 + e);
}

// Lane l gets every kLanes-th value from l on, so that the order of additions is the same everywhere.
ATCAV_CPU_CLONES
void add_sigmoids(const double* x, Index blocks, double slope, double* sums) {
  for (Index b = 0; b < blocks; ++b) {
    for (Index l = 0; l < kLanes; ++l) sums[l] += sigmoid_of(slope * x[b * kLanes + l]);
  }
}

// The same for many rows, each with a slope of its own, without what is behind the last whole block.
ATCAV_CPU_CLONES
void add_row_sigmoids(const double* x, Index rows, Index columns, const double* slopes, double* sums) {
  const Index blocks = columns / kLanes;
  for (Index r = 0; r < rows; ++r) {
    double own[kLanes] = {};
    const double* const row = x + r * columns;
    for (Index b = 0; b < blocks; ++b) {
      for (Index l = 0; l < kLanes; ++l) own[l] += sigmoid_of(slopes[r] * row[b * kLanes + l]);
    }
    for (Index l = 0; l < kLanes; ++l) sums[r * kLanes + l] = own[l];
  }
}

ATCAV_CPU_CLONES
void to_sigmoids(double* values, Index count) {
  for (Index i = 0; i < count; ++i) values[i] = sigmoid_of(values[i]);
}

}  // namespace

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

double mean_sigmoid(const VectorRef& x, double slope) {
  check_at_least("mean_sigmoid", "values", x.size(), 1);
  std::array<double, kLanes> sums{};
  const Index blocks = x.size() / kLanes;
  add_sigmoids(x.data(), blocks, slope, sums.data());
  double sum = 0;
  for (const double lane : sums) sum += lane;
  for (Index j = blocks * kLanes; j < x.size(); ++j) sum += sigmoid_of(slope * x(j));
  return sum / static_cast<double>(x.size());
}

Vector mean_sigmoids(const Matrix& x, const Vector& slopes, int threads) {
  check_at_least("mean_sigmoids", "values", x.cols(), 1);
  check_same("mean_sigmoids", "rows", "slopes", slopes.size(), "values", x.rows());
  constexpr Index kRowsAtOnce = 256;
  const Index rest = x.cols() % kLanes;
  const auto m = static_cast<double>(x.cols());
  Vector means(x.rows());
  parallel_for((x.rows() + kRowsAtOnce - 1) / kRowsAtOnce, threads, [&](Index block) {
    const Index first = block * kRowsAtOnce;
    const Index rows = std::min(kRowsAtOnce, x.rows() - first);
    std::array<double, kRowsAtOnce * kLanes> sums;
    std::array<double, kRowsAtOnce * kLanes> last;
    add_row_sigmoids(x.row(first).data(), rows, x.cols(), slopes.data() + first, sums.data());
    for (Index r = 0; r < rows; ++r) {
      for (Index i = 0; i < rest; ++i)
        last[r * rest + i] = slopes(first + r) * x(first + r, x.cols() - rest + i);
    }
    to_sigmoids(last.data(), rows * rest);
    for (Index r = 0; r < rows; ++r) {
      double sum = 0;
      for (Index l = 0; l < kLanes; ++l) sum += sums[r * kLanes + l];
      for (Index i = 0; i < rest; ++i) sum += last[r * rest + i];
      means(first + r) = sum / m;
    }
  });
  return means;
}

}  // namespace atcav::stats
