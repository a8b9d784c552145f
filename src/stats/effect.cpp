#include "atcav/effect.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <vector>

#include "core/check.h"
#include "stats/variance_parts.h"

namespace atcav::stats {
namespace {

double spread_of(const VectorRef& values) {
  if (values.size() < 2) return 0;
  return (values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1);
}

// What the inputs add to the variance of a mean over them: their spread, known from m - 1 degrees, without
// what the examples make of it, which hundreds of rows tell and counts as known.
double add_inputs_part(const VectorRef& values, double from_examples, std::vector<VariancePart>* parts) {
  const auto m = static_cast<double>(values.size());
  const double spread = spread_of(values);
  const double known = std::min(from_examples, spread);
  parts->push_back({spread / m, m - 1});
  parts->push_back({-known / m, HUGE_VAL});
  return (spread - known) / m;
}

}  // namespace

Effect measure_effect(const VectorRef& sensitivities, const VectorRef& errors, const MeanNoise& noise,
                      const RandomSpread& random, double level, const std::optional<RandomSpread>& logit) {
  check_fraction("measure_effect", "level", level);
  check_at_least("measure_effect", "sensitivities", sensitivities.size(), 1);
  check_same("measure_effect", "values", "sensitivities", sensitivities.size(), "errors", errors.size());
  check_non_negative("measure_effect", "variance of random examples", random.variance);
  const auto m = static_cast<double>(sensitivities.size());
  Effect effect;
  effect.logits = sensitivities.mean();

  std::vector<VariancePart> parts;
  const auto part_error = [&](const std::optional<VariancePart>& part) {
    if (!part) return 0.0;
    check_positive("measure_effect", "degrees of freedom", part->degrees);
    parts.push_back(*part);
    return std::sqrt(part->variance);
  };
  effect.error_concept = part_error(noise.of_concept);
  effect.error_random = part_error(noise.random);
  effect.error_examples = part_error(noise.examples);
  check_at_least("measure_effect", "sources of noise", static_cast<Index>(parts.size()), 1);
  const double from_examples = total_variance(parts);
  effect.error_examples = std::sqrt(from_examples);

  // Σ_j noise_j/(m-1): what the examples alone make the S_j differ by.
  const double within = m > 1 ? std::max(0.0, errors.squaredNorm() - m * from_examples) / (m - 1) : 0;
  if (m > 1) effect.error_inputs = std::sqrt(add_inputs_part(sensitivities, within, &parts));
  effect.degrees = satterthwaite(parts);
  effect.interval = t_interval(effect.logits, parts, level);
  effect.p = two_sided_p(effect.logits, parts);

  if (logit && logit->variance > 0) {
    const Effect in_logits = measure_effect(sensitivities, errors, noise, *logit, level);
    effect.standardised = {in_logits.d.value(), in_logits.d_interval};
  }
  const double sd = std::sqrt(random.variance);
  if (sd == 0) return effect;
  const double d = effect.logits / sd;
  effect.d = d;
  effect.unit = sd;
  for (VariancePart& part : parts) part.variance /= random.variance;
  const double rows = static_cast<double>(random.count) / random.kurtosis;
  if (rows < kFewRows && random.kurtosis > kHeavyTails) effect.few_rows = rows;
  // The random examples move the mean and sd_random together: -z - d(z² - 1)/2 each, z standardised.
  const double shape = d * random.of_pairs.value_or(random.skewness) + d * d * (random.kurtosis - 1) / 4;
  const double count = static_cast<double>(random.count);
  VariancePart& examples = noise.examples ? parts[0] : parts[noise.of_concept ? 1 : 0];
  examples.variance = std::max(0.0, examples.variance + shape / count);
  if (m > 1 && random.slopes.size() == sensitivities.size()) {
    parts.resize(parts.size() - 2);
    add_inputs_part(sensitivities / sd - d * random.slopes, within / random.variance, &parts);
  }
  effect.d_errors.random = std::sqrt(examples.variance);
  if (noise.of_concept) effect.d_errors.of_concept = std::sqrt(parts[0].variance);
  if (m > 1)
    effect.d_errors.inputs =
        std::sqrt(std::max(0.0, parts[parts.size() - 2].variance + parts.back().variance));
  effect.d_interval = t_interval(d, parts, level);
  effect.d_error = std::sqrt(total_variance(parts));
  effect.d_degrees = satterthwaite(parts);
  return effect;
}

Effect stopped_by_width(Effect effect, const RandomSpread& random, const RandomSpread& of_concept) {
  if (!effect.d || effect.d_error == 0) return effect;
  const auto error_of_square = [](double error, const RandomSpread& spread) {
    const double relative = std::max(0.0, spread.kurtosis - 1) / static_cast<double>(spread.count);
    return error * error * std::sqrt(relative);
  };
  const double of_variance = std::hypot(error_of_square(effect.d_errors.of_concept, of_concept),
                                        error_of_square(effect.d_errors.random, random));
  const double factor = std::sqrt(1 + of_variance / (effect.d_error * effect.d_error));
  const auto widen = [&](Interval& interval, double middle) {
    interval = {middle + factor * (interval.low - middle), middle + factor * (interval.high - middle)};
  };
  widen(effect.interval, effect.logits);
  widen(effect.d_interval, *effect.d);
  if (effect.standardised) widen(effect.standardised->interval, effect.standardised->value);
  for (double* error : {&effect.d_error, &effect.error_concept, &effect.error_random, &effect.error_examples,
                        &effect.error_inputs})
    *error *= factor;
  const double error = std::hypot(effect.error_examples, effect.error_inputs);
  if (error > 0)
    effect.p =
        2 * boost::math::cdf(boost::math::students_t(effect.degrees), -std::abs(effect.logits) / error);
  return effect;
}

double random_direction_p(double cosine, Index d) {
  check_at_least("random_direction_p", "dimensions", d, 1);
  if (d == 1) return 1;
  const double rest = std::clamp(1 - cosine * cosine, 0.0, 1.0);
  return boost::math::ibeta(static_cast<double>(d - 1) / 2, 0.5, rest);
}

double t_quantile(double fraction, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), fraction);
}

double some_inputs_p(const VectorRef& sensitivities, const MatrixRef& covariance, double degrees) {
  check_same("some_inputs_p", "values", "sensitivities", sensitivities.size(), "covariance",
             covariance.rows());
  check_positive("some_inputs_p", "degrees of freedom", degrees);
  const double noise = covariance.trace();
  const double size = sensitivities.squaredNorm();
  if (noise == 0) return size == 0 ? 1 : 0;
  const double free = noise * noise / covariance.squaredNorm();
  const boost::math::fisher_f law(free, free * degrees);
  return boost::math::cdf(boost::math::complement(law, size / noise));
}

double equivalence_p(const Effect& effect, double bound) {
  check_positive("equivalence_p", "bound", bound);
  if (!effect.d || effect.few_rows) return 1;
  const double room = bound - std::abs(*effect.d);
  if (effect.d_error == 0) return room > 0 ? 0 : 1;
  return boost::math::cdf(boost::math::students_t(effect.d_degrees), -room / effect.d_error);
}

Effect measure_effect_of_direction(const VectorRef& sensitivities, double level) {
  check_fraction("measure_effect_of_direction", "level", level);
  check_at_least("measure_effect_of_direction", "sensitivities", sensitivities.size(), 1);
  const auto m = static_cast<double>(sensitivities.size());
  Effect effect;
  effect.logits = sensitivities.mean();
  effect.interval = {-HUGE_VAL, HUGE_VAL};
  if (m < 2) return effect;
  const std::vector<VariancePart> parts = {{spread_of(sensitivities) / m, m - 1}};
  effect.error_inputs = std::sqrt(parts.front().variance);
  effect.degrees = m - 1;
  effect.interval = t_interval(effect.logits, parts, level);
  effect.p = two_sided_p(effect.logits, parts);
  return effect;
}

}  // namespace atcav::stats
