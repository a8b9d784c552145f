#include "stats/variance_parts.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace atcav::stats {

double total_variance(const std::vector<VariancePart>& parts) {
  double sum = 0;
  for (const VariancePart& part : parts) sum += part.variance;
  return sum;
}

double satterthwaite(const std::vector<VariancePart>& parts) {
  const double total = total_variance(parts);
  double sum = 0;
  double least = parts.front().degrees;
  for (const VariancePart& part : parts) {
    sum += part.variance * part.variance / part.degrees;
    least = std::min(least, part.degrees);
  }
  return sum > 0 ? std::max(1.0, total * total / sum) : least;
}

Interval t_interval(double value, const std::vector<VariancePart>& parts, double level) {
  const double error = std::sqrt(total_variance(parts));
  if (error == 0) return {value, value};
  const boost::math::students_t law(satterthwaite(parts));
  const double reach = boost::math::quantile(law, (1 + level) / 2) * error;
  return {value - reach, value + reach};
}

double two_sided_p(double value, const std::vector<VariancePart>& parts) {
  const double error = std::sqrt(total_variance(parts));
  if (error == 0) return value == 0 ? 1 : 0;
  return 2 * boost::math::cdf(boost::math::students_t(satterthwaite(parts)), -std::abs(value) / error);
}

}  // namespace atcav::stats
