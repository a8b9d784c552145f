#include "atcav/variability.h"

#include <fmt/format.h>

#include "core/check.h"

namespace atcav::stats {
namespace {

double count(Index n) { return static_cast<double>(n); }

CavLaw pattern(const TwoClasses& classes) {
  return {classes.of_concept.mean - classes.random.mean,
          classes.random.covariance / count(classes.n_random) +
              classes.of_concept.covariance / count(classes.n_concept)};
}

}  // namespace

CavLaw pattern_law(const TwoClasses& classes) {
  check_two_classes("pattern_law", classes);
  return pattern(classes);
}

CavLaw fast_law(const TwoClasses& classes) {
  check_two_classes("fast_law", classes);
  const double c = count(classes.n_random) / count(classes.n_random + classes.n_concept);
  const CavLaw law = pattern(classes);
  return {c * law.mean, c * c * law.covariance};
}

CavLaw many_random_law(const TwoClasses& classes) {
  check_two_classes("many_random_law", classes);
  return {classes.of_concept.mean - classes.random.mean,
          classes.of_concept.covariance / count(classes.n_concept)};
}

double total_variance(const CavLaw& law) { return law.covariance.trace(); }

double popoviciu_bound(double low, double high) {
  check_finite("popoviciu_bound", "low", low);
  check_finite("popoviciu_bound", "high", high);
  if (high < low) fail_argument("popoviciu_bound", fmt::format("high is {}, must be >= low = {}", high, low));
  return (high - low) * (high - low) / 4;
}

}  // namespace atcav::stats
