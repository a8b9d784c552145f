#include "atcav/stats/interval.h"

#include <algorithm>
#include <cmath>

#include "atcav/base/check.h"
#include "atcav/stats/normal.h"

namespace atcav::stats {

Interval normal_interval(double value, double standard_error, double level) {
  check_fraction("normal_interval", "level", level);
  check_non_negative("normal_interval", "standard_error", standard_error);
  const double reach = normal_quantile((1 + level) / 2) * standard_error;
  return {std::clamp(value - reach, 0.0, 1.0), std::clamp(value + reach, 0.0, 1.0)};
}

Interval percentile_interval(std::vector<double> samples, double level) {
  check_fraction("percentile_interval", "level", level);
  check_at_least("percentile_interval", "samples", static_cast<Index>(samples.size()), 1);
  std::sort(samples.begin(), samples.end());
  const auto at = [&samples](double fraction) {
    const double place = fraction * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (place - static_cast<double>(below)) * (samples[above] - samples[below]);
  };
  return {at((1 - level) / 2), at((1 + level) / 2)};
}

double two_sample_error(double variance_random, Index n_random, double variance_concept, Index n_concept) {
  check_at_least("two_sample_error", "n_random", n_random, 1);
  check_at_least("two_sample_error", "n_concept", n_concept, 1);
  return std::sqrt(variance_random / static_cast<double>(n_random) +
                   variance_concept / static_cast<double>(n_concept));
}

double mean_error(const VectorRef& terms) {
  check_at_least("mean_error", "terms", terms.size(), 1);
  if (terms.size() == 1) return 0;
  const auto m = static_cast<double>(terms.size());
  return std::sqrt((terms.array() - terms.mean()).square().sum() / (m - 1) / m);
}

}  // namespace atcav::stats
