#include "stats/negatives.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "core/check.h"

namespace atcav::stats {
namespace {

constexpr Index kLinePoints = 13;
constexpr double kLineGoesOn = 1.3;  // the line goes on, so that the crossing lies within the chart

// Values in falling order, with their sums.
class Falling {
 public:
  explicit Falling(const VectorRef& values) : order_(static_cast<std::size_t>(values.size())) {
    std::iota(order_.begin(), order_.end(), 0);
    centre_ = values.mean();
    std::ranges::stable_sort(order_, [&](Index a, Index b) { return values(a) > values(b); });
    sorted_.resize(values.size());
    for (Index r = 0; r < values.size(); ++r) sorted_(r) = values(order_[r]) - centre_;
  }

  // The mean is above that of all: the lowest rows lose their weight one after another.
  Vector weights(double mean) const {
    const double wanted = mean - centre_;
    Index count = sorted_.size();
    double sum = sorted_.sum();
    double squares = sorted_.squaredNorm();
    double slope = 0;
    double middle = 0;
    for (; count > 1; --count) {
      const auto k = static_cast<double>(count);
      middle = sum / k;
      const double spread = squares / k - middle * middle;
      slope = spread > 0 ? (wanted - middle) / spread : 0;
      if (1 + slope * (sorted_(count - 1) - middle) >= 0) break;
      sum -= sorted_(count - 1);
      squares -= sorted_(count - 1) * sorted_(count - 1);
    }
    Vector found = Vector::Zero(sorted_.size());
    if (count == 1) slope = 0;
    for (Index r = 0; r < count; ++r)
      found(order_[r]) = std::max(0.0, (1 + slope * (sorted_(r) - middle)) / static_cast<double>(count));
    return found / found.sum();
  }

 private:
  std::vector<Index> order_;
  Vector sorted_;
  double centre_ = 0;
};

// One effect, turned so that it is above 0 and larger random values take from it.
class Line {
 public:
  Line(const VectorRef& along, const Groups& groups, const Effect& effect, double level)
      : sign_(effect.logits < 0 ? -1 : 1),
        along_(sign_ * along),
        groups_(groups),
        size_(std::abs(effect.logits)),
        reach_(t_quantile((1 + level) / 2, effect.degrees)) {
    const double all =
        effect.error_examples * effect.error_examples + effect.error_inputs * effect.error_inputs;
    own_ = weighted_mean_variance(along_, even(), groups_);
    rest_ = std::max(0.0, all - own_);
    all_ = all;
  }

  struct Point {
    double chi2, logits, low, high, error;
  };
  // Before at() and crossing().
  void sort() { falling_.emplace(along_); }
  // `share` of the way from the mean to the largest value.
  Point at(double share) const {
    const double mean = along_.mean();
    const Vector weights = falling_->weights(mean + share * (along_.maxCoeff() - mean));
    return of(weights, static_cast<double>(along_.size()) * weights.squaredNorm() - 1);
  }
  Point of(const Vector& weights, double chi2) const {
    const double logits = size_ - (weights.dot(along_) - along_.mean());
    const double own = weighted_mean_variance(along_, weights, groups_);
    const double error = std::sqrt(chi2 == 0 ? all_ : rest_ + own);
    return {chi2, sign_ * logits, logits - reach_ * error, logits + reach_ * error, error};
  }
  Interval turned(const Point& point) const {
    return sign_ > 0 ? Interval{point.low, point.high} : Interval{-point.high, -point.low};
  }

  // The least share at which the interval holds 0.
  std::optional<double> crossing() const {
    constexpr Index kSteps = 64;
    constexpr int kHalvings = 40;
    for (Index step = 1; step < kSteps; ++step) {
      double high = static_cast<double>(step) / kSteps;
      if (at(high).low > 0) continue;
      double low = static_cast<double>(step - 1) / kSteps;
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (at(middle).low > 0 ? low : high) = middle;
      }
      return high;
    }
    return std::nullopt;
  }

 private:
  Vector even() const { return Vector::Constant(along_.size(), 1 / static_cast<double>(along_.size())); }

  double sign_;
  Vector along_;
  const Groups& groups_;
  std::optional<Falling> falling_;
  double size_;
  double reach_;
  double own_ = 0, rest_ = 0, all_ = 0;
};

std::vector<Stratum> without_each(const Line& line, const VectorRef& along,
                                  const std::vector<std::string>& strata, const Effect& effect) {
  std::map<std::string, Index> counts;
  for (const std::string& name : strata) ++counts[name];
  std::vector<Stratum> found;
  if (counts.size() < 2) return found;
  for (const auto& [name, count] : counts) {
    const Index left = along.size() - count;
    if (left < 2) continue;
    Vector weights(along.size());
    for (Index i = 0; i < along.size(); ++i)
      weights(i) = strata[i] == name ? 0 : 1 / static_cast<double>(left);
    const Line::Point point =
        line.of(weights, static_cast<double>(along.size()) / static_cast<double>(left) - 1);
    Stratum stratum{name, count, point.logits, line.turned(point)};
    stratum.p = point.error > 0 ? 2 * boost::math::cdf(boost::math::students_t(effect.degrees),
                                                       -std::abs(point.logits) / point.error)
                                : (point.logits == 0 ? 1 : 0);
    found.push_back(std::move(stratum));
  }
  return found;
}

}  // namespace

Vector nearest_weights(const VectorRef& values, double mean) {
  check_at_least("nearest_weights", "number of values", values.size(), 2);
  if (!(mean >= values.minCoeff() && mean <= values.maxCoeff()))
    fail_argument("nearest_weights", "the mean must lie between the smallest and the largest value");
  if (mean >= values.mean()) return Falling(values).weights(mean);
  return Falling(-values).weights(-mean);
}

double weighted_mean_variance(const VectorRef& values, const VectorRef& weights, const Groups& groups) {
  const double mean = weights.dot(values);
  double squares = 0;
  double shares = 0;
  if (groups.empty()) {
    squares = (weights.array() * (values.array() - mean)).square().sum();
    shares = weights.squaredNorm();
  } else {
    Vector sums = Vector::Zero(groups.count);
    Vector share = Vector::Zero(groups.count);
    for (Index i = 0; i < values.size(); ++i) {
      sums(groups.of_row[i]) += weights(i) * (values(i) - mean);
      share(groups.of_row[i]) += weights(i);
    }
    squares = sums.squaredNorm();
    shares = share.squaredNorm();
  }
  return shares < 1 ? squares / (1 - shares) : 0;
}

Negatives other_negatives(const VectorRef& along, const Groups& groups,
                          const std::vector<std::string>& strata, const Effect& effect, double level) {
  check_at_least("other_negatives", "number of random rows", along.size(), 2);
  Negatives found;
  found.rows = along.size();
  if (!(effect.degrees > 0)) return found;
  Line line(along, groups, effect, level);
  found.strata = without_each(line, along, strata, effect);
  if (effect.interval.low <= 0 && effect.interval.high >= 0) {
    found.chi2 = 0;
    return found;
  }
  line.sort();
  const std::optional<double> crossing = line.crossing();
  if (crossing) found.chi2 = line.at(*crossing).chi2;
  const double end = std::min(1.0 - 1e-6, kLineGoesOn * crossing.value_or(1));
  for (Index i = 0; i < kLinePoints; ++i) {
    const Line::Point point =
        i == 0 ? line.at(0) : line.at(end * static_cast<double>(i) / static_cast<double>(kLinePoints - 1));
    const Interval interval = i == 0 ? effect.interval : line.turned(point);
    found.line.push_back(
        {i == 0 ? 0 : std::max(0.0, point.chi2), i == 0 ? effect.logits : point.logits, interval});
  }
  return found;
}

}  // namespace atcav::stats
