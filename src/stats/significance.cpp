#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "atcav/interval.h"
#include "core/check.h"

namespace atcav::stats {
namespace {

double sample_variance(const VectorRef& x) {
  return (x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1);
}

void check_samples(const char* function, const VectorRef& a, const VectorRef& b) {
  check_at_least(function, "first sample's size", a.size(), 2);
  check_at_least(function, "second sample's size", b.size(), 2);
}

TTest from_statistic(double difference, double variance, double degrees) {
  if (variance == 0) return {0, degrees, difference == 0 ? 1.0 : 0.0};
  const double t = difference / std::sqrt(variance);
  return {t, degrees, 2 * boost::math::cdf(boost::math::students_t(degrees), -std::abs(t))};
}

}  // namespace

TTest welch_t_test(const VectorRef& a, const VectorRef& b) {
  check_samples("welch_t_test", a, b);
  const auto na = static_cast<double>(a.size());
  const auto nb = static_cast<double>(b.size());
  const double va = sample_variance(a) / na;
  const double vb = sample_variance(b) / nb;
  const double degrees = (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));
  return from_statistic(a.mean() - b.mean(), va + vb, va + vb == 0 ? na + nb - 2 : degrees);
}

TTest pooled_t_test(const VectorRef& a, const VectorRef& b) {
  check_samples("pooled_t_test", a, b);
  const auto na = static_cast<double>(a.size());
  const auto nb = static_cast<double>(b.size());
  const double degrees = na + nb - 2;
  const double pooled = ((na - 1) * sample_variance(a) + (nb - 1) * sample_variance(b)) / degrees;
  return from_statistic(a.mean() - b.mean(), pooled * (1 / na + 1 / nb), degrees);
}

std::vector<double> bonferroni(const std::vector<double>& p) {
  std::vector<double> adjusted(p);
  for (double& value : adjusted) value = std::min(1.0, value * static_cast<double>(p.size()));
  return adjusted;
}

std::vector<double> benjamini_hochberg(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&p](std::size_t a, std::size_t b) { return p[a] > p[b]; });
  std::vector<double> adjusted(p.size());
  double smallest = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto rank = static_cast<double>(p.size() - i);
    smallest = std::min(smallest, p[order[i]] * static_cast<double>(p.size()) / rank);
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

}  // namespace atcav::stats
