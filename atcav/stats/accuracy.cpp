#include "atcav/stats/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "atcav/base/check.h"
#include "atcav/stats/normal.h"

namespace atcav::stats {
namespace {

void check_law(const char* function, const char* name, const NormalLaw& law) {
  check_finite(function, fmt::format("mean of {}", name), law.mean);
  check_non_negative(function, fmt::format("variance of {}", name), law.variance);
}

bool same(const NormalLaw& a, const NormalLaw& b) { return a.mean == b.mean && a.variance == b.variance; }

struct Roots {
  double best;   // minimises P(A > x) + P(B < x)
  double other;  // maximises it
};

// Both intersections for different, positive variances. The quadratic of the paper's Lemma, moved to the
// mean of a and measured in the largest length, solved in the form without cancellation.
Roots roots(const NormalLaw& a, const NormalLaw& b) {
  const double distance = b.mean - a.mean;
  const double unit = std::max({std::abs(distance), std::sqrt(a.variance), std::sqrt(b.variance)});
  const double delta = distance / unit;
  const double sa = std::sqrt(a.variance) / unit;
  const double sb = std::sqrt(b.variance) / unit;
  const double difference = (sa - sb) * (sa + sb);
  const double log_ratio =
      2 * (std::abs(sa - sb) < 0.5 * sb ? std::log1p((sa - sb) / sb) : std::log(sa / sb));
  const double root = std::sqrt(delta * delta + difference * log_ratio);
  const double product = sa * (delta * delta - sb * sb * log_ratio);
  if (delta >= 0) {
    const double q = delta * sa + sb * root;
    return {a.mean + unit * (product / q), a.mean + unit * (sa * q / difference)};
  }
  const double q = delta * sa - sb * root;
  return {a.mean + unit * (sa * q / difference), a.mean + unit * (product / q)};
}

// η* for lower.mean ≤ upper.mean and the rule "above means upper".
double ordered_threshold(const NormalLaw& lower, const NormalLaw& upper) {
  if (same(lower, upper)) return lower.mean;
  if (lower.variance == upper.variance) return std::midpoint(lower.mean, upper.mean);
  if (lower.variance == 0) return lower.mean;
  if (upper.variance == 0) return std::nextafter(upper.mean, -std::numeric_limits<double>::infinity());
  return roots(lower, upper).best;
}

double share_above(const NormalLaw& law, double threshold) {
  if (law.variance == 0) return law.mean > threshold ? 1 : 0;
  return normal_cdf((law.mean - threshold) / std::sqrt(law.variance));
}

double share_at_or_below(const NormalLaw& law, double threshold) {
  if (law.variance == 0) return law.mean > threshold ? 0 : 1;
  return normal_cdf((threshold - law.mean) / std::sqrt(law.variance));
}

}  // namespace

ScoreLaw score_law(const ClassLaw& data, const CavLaw& cav, Index n) {
  check_class_law("score_law", "data", data);
  check_class_law("score_law", "cav", {cav.mean, cav.covariance});
  check_same("score_law", "values", "mean of data", data.mean.size(), "mean of cav", cav.mean.size());
  check_at_least("score_law", "n", n, 1);
  const double size = static_cast<double>(n);
  ScoreLaw law;
  law.total.mean = cav.mean.dot(data.mean) / std::sqrt(size);
  law.within_variance =
      (cav.covariance.cwiseProduct(data.covariance).sum() + cav.mean.dot(data.covariance * cav.mean)) / size;
  law.total.variance = law.within_variance + data.mean.dot(cav.covariance * data.mean) / size;
  return law;
}

Intersections density_intersections(const NormalLaw& a, const NormalLaw& b) {
  check_law("density_intersections", "a", a);
  check_law("density_intersections", "b", b);
  if (a.variance == 0 || b.variance == 0) return {};
  if (same(a, b)) return {.everywhere = true, .points = {}};
  if (a.variance == b.variance) return {.everywhere = false, .points = {std::midpoint(a.mean, b.mean)}};
  const Roots both = roots(a, b);
  Intersections meeting;
  for (const double x : {std::min(both.best, both.other), std::max(both.best, both.other)}) {
    if (std::isfinite(x)) meeting.points.push_back(x);
  }
  return meeting;
}

Threshold optimal_threshold(const NormalLaw& random, const NormalLaw& of_concept) {
  check_law("optimal_threshold", "random", random);
  check_law("optimal_threshold", "concept", of_concept);
  if (of_concept.mean < random.mean) return {ordered_threshold(of_concept, random), true};
  return {ordered_threshold(random, of_concept), false};
}

double classification_error(const NormalLaw& random, const NormalLaw& of_concept, double threshold,
                            double concept_weight) {
  check_law("classification_error", "random", random);
  check_law("classification_error", "concept", of_concept);
  check_finite("classification_error", "threshold", threshold);
  if (!(concept_weight >= 0 && concept_weight <= 1)) {
    fail_argument("classification_error",
                  fmt::format("concept_weight is {}, must be from 0 to 1", concept_weight));
  }
  return (1 - concept_weight) * share_above(random, threshold) +
         concept_weight * share_at_or_below(of_concept, threshold);
}

}  // namespace atcav::stats
