#include "atcav/stats/score.h"

#include <cmath>

#include "atcav/base/check.h"
#include "atcav/stats/alpha.h"
#include "atcav/stats/mean_sigmoid.h"

namespace atcav::stats {

double tcav(const VectorRef& sensitivities) {
  check_at_least("tcav", "sensitivities", sensitivities.size(), 1);
  return (sensitivities.array() > 0).cast<double>().mean();
}

double heaviside_tcav(const VectorRef& sensitivities) {
  return tcav(sensitivities) + 0.5 * zero_share(sensitivities);
}

double zero_share(const VectorRef& sensitivities) {
  check_at_least("zero_share", "sensitivities", sensitivities.size(), 1);
  return (sensitivities.array() == 0).cast<double>().mean();
}

double magnitude(const VectorRef& sensitivities) {
  check_at_least("magnitude", "sensitivities", sensitivities.size(), 1);
  return sensitivities.mean();
}

double alpha_tcav(const VectorRef& sensitivities, double alpha, double gamma) {
  check_at_least("alpha_tcav", "sensitivities", sensitivities.size(), 1);
  check_positive("alpha_tcav", "gamma", gamma);
  if (std::isinf(alpha)) return heaviside_tcav(sensitivities);
  check_non_negative("alpha_tcav", "alpha", alpha);
  return mean_sigmoid(sensitivities, alpha / gamma);
}

Profile sensitivity_profile(const VectorRef& sensitivities) {
  const double gamma = root_mean_square(sensitivities);
  Profile profile;
  for (int i = -10; i <= 20; ++i) {
    const double alpha = std::pow(10, i / 10.0);
    profile.alpha.push_back(alpha);
    profile.score.push_back(alpha_tcav(sensitivities, alpha, gamma));
  }
  return profile;
}

}  // namespace atcav::stats
