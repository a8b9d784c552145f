#include "pipeline/logit_difference.h"

#include <cmath>

#include "core/check.h"
#include "stats/variance_parts.h"

namespace atcav {

LogitDifference difference_of_logits(const VectorRef& concept_logits, const VectorRef& random_logits,
                                     double level, bool paired) {
  const auto variance = [](const VectorRef& values) {
    check_at_least("difference_of_logits", "examples", values.size(), 2);
    return (values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1);
  };
  const auto part = [&](const VectorRef& values) {
    const auto n = static_cast<double>(values.size());
    return stats::VariancePart{variance(values) / n, n - 1};
  };
  LogitDifference found;
  found.n_concept = concept_logits.size();
  found.n_random = random_logits.size();
  found.difference = concept_logits.mean() - random_logits.mean();
  std::vector<stats::VariancePart> parts = {part(concept_logits), part(random_logits)};
  if (paired) parts = {part(concept_logits - random_logits)};
  found.interval = stats::t_interval(found.difference, parts, level);
  found.p = stats::two_sided_p(found.difference, parts);
  found.random_sd = std::sqrt(variance(random_logits));
  return found;
}

stats::RandomSpread spread_of_logit(const VectorRef& random_logits, const VectorRef& along) {
  const Index n = random_logits.size();
  stats::RandomSpread spread{n};
  if (n < 2) return spread;
  const Eigen::ArrayXd around = random_logits.array() - random_logits.mean();
  const double population = around.square().mean();
  spread.variance = population * static_cast<double>(n) / static_cast<double>(n - 1);
  if (population == 0) return spread;
  spread.kurtosis = around.square().square().mean() / (population * population);
  if (along.size() < n) return spread;
  const Eigen::ArrayXd q = along.head(n).array() - along.head(n).mean();
  spread.skewness = (q * around.square()).mean() / (population * std::sqrt(population));
  return spread;
}

}  // namespace atcav
