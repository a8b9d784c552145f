#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "atcav/theory.h"
#include "core/check.h"
#include "stats/class_law.h"
#include "stats/normal.h"

namespace atcav::stats {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

void check_law(const char* function, const char* name, const NormalLaw& law) {
  check_finite(function, fmt::format("mean of {}", name), law.mean);
  check_non_negative(function, fmt::format("variance of {}", name), law.variance);
}

void check_weight(const char* function, double concept_weight) {
  if (!(concept_weight >= 0 && concept_weight <= 1))
    fail_argument(function, fmt::format("concept_weight is {}, must be from 0 to 1", concept_weight));
}

// Where the weighted densities meet for positive variances and lower.mean ≤ upper.mean: of the two points the
// one that is a minimum of the error; `log_odds` is of the upper law's weight. The quadratic of the paper's
// Lemma, moved to the lower mean and measured in the largest length, solved in the form without cancellation.
// NaN where they do not meet.
double intersection(const NormalLaw& lower, const NormalLaw& upper, double log_odds) {
  const double distance = upper.mean - lower.mean;
  const double unit = std::max({distance, std::sqrt(lower.variance), std::sqrt(upper.variance)});
  const double delta = distance / unit;
  const double sa = std::sqrt(lower.variance) / unit;
  const double sb = std::sqrt(upper.variance) / unit;
  const double difference = (sa - sb) * (sa + sb);
  const double log_ratio =
      2 * (std::abs(sa - sb) < 0.5 * sb ? std::log1p((sa - sb) / sb) : std::log(sa / sb)) + 2 * log_odds;
  const double root = std::sqrt(delta * delta + difference * log_ratio);
  const double product = sa * (delta * delta - sb * sb * log_ratio);
  return lower.mean + unit * (product / (delta * sa + sb * root));
}

double share_above(const NormalLaw& law, double threshold) {
  if (law.variance == 0) return law.mean > threshold ? 1 : 0;
  return normal_cdf((law.mean - threshold) / std::sqrt(law.variance));
}

double share_at_or_below(const NormalLaw& law, double threshold) {
  if (law.variance == 0) return law.mean > threshold ? 0 : 1;
  return normal_cdf((threshold - law.mean) / std::sqrt(law.variance));
}

// η* for lower.mean ≤ upper.mean and the rule "above means upper", at equal weights.
double ordered_threshold(const NormalLaw& lower, const NormalLaw& upper) {
  if (lower.variance == upper.variance) return std::midpoint(lower.mean, upper.mean);
  if (lower.variance == 0) return lower.mean;
  if (upper.variance == 0) return std::nextafter(upper.mean, -kUnbounded);
  return intersection(lower, upper, 0);
}

// At other weights the best may be to call everything the heavier class.
double weighted_threshold(const NormalLaw& lower, const NormalLaw& upper, double upper_weight) {
  if (upper_weight == 0.5) return ordered_threshold(lower, upper);
  const double lower_weight = 1 - upper_weight;
  const double best = lower_weight > upper_weight ? kUnbounded : -kUnbounded;
  const double least = std::min(lower_weight, upper_weight);
  double meeting = std::nan("");
  if (lower.variance == 0 || upper.variance == 0) {
    meeting = ordered_threshold(lower, upper);
  } else if (least > 0 && (upper.mean > lower.mean || upper.variance != lower.variance)) {
    meeting = intersection(lower, upper, std::log(upper_weight / lower_weight));
  }
  if (!std::isfinite(meeting)) return best;
  const double error =
      lower_weight * share_above(lower, meeting) + upper_weight * share_at_or_below(upper, meeting);
  return error <= least ? meeting : best;
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

Threshold optimal_threshold(const NormalLaw& random, const NormalLaw& of_concept, double concept_weight) {
  check_law("optimal_threshold", "random", random);
  check_law("optimal_threshold", "concept", of_concept);
  check_weight("optimal_threshold", concept_weight);
  if (of_concept.mean < random.mean)
    return {weighted_threshold(of_concept, random, 1 - concept_weight), true};
  return {weighted_threshold(random, of_concept, concept_weight), false};
}

double classification_error(const NormalLaw& random, const NormalLaw& of_concept, double threshold,
                            double concept_weight) {
  check_law("classification_error", "random", random);
  check_law("classification_error", "concept", of_concept);
  if (std::isnan(threshold)) fail_argument("classification_error", "threshold is nan, must be a number");
  check_weight("classification_error", concept_weight);
  return (1 - concept_weight) * share_above(random, threshold) +
         concept_weight * share_at_or_below(of_concept, threshold);
}

ErrorPrediction predict_error(const NormalLaw& random, const NormalLaw& of_concept, double concept_weight) {
  const Threshold threshold = optimal_threshold(random, of_concept, concept_weight);
  return {random, of_concept, threshold,
          classification_error(random, of_concept, threshold.value, concept_weight)};
}

ErrorPrediction predict_error(const TwoClasses& classes, const CavLaw& cav, double concept_weight) {
  const Index n = classes.n_random + classes.n_concept;
  return predict_error(score_law(classes.random, cav, n).total, score_law(classes.of_concept, cav, n).total,
                       concept_weight);
}

}  // namespace atcav::stats
