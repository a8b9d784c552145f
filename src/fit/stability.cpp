#include "fit/stability.h"

#include <algorithm>

namespace atcav::fit {
namespace {

struct SetMean {
  Eigen::RowVectorXd mean;  // less the centre
  double noise;             // Tr Σ̂/n
};

SetMean mean_of(const pass::SetPass& set) {
  const double n = set.held_out.group_counts.sum();
  const Eigen::RowVectorXd mean = set.held_out.group_sums.total().colwise().sum() / n;
  const double scatter = std::max(0.0, set.squares.sum() - n * mean.squaredNorm());
  return {mean, scatter / (n * std::max(1.0, n - 1))};
}

}  // namespace

double relative_variance(const pass::Pass& pass, Index concept_set, Index random_set) {
  const SetMean of_concept = mean_of(pass.sets[concept_set]);
  const SetMean random = mean_of(pass.sets[random_set]);
  const double length = (of_concept.mean - random.mean).squaredNorm();
  // Without a direction all of it is noise.
  const double noise = of_concept.noise + random.noise;
  return length > noise ? noise / length : 1;
}

double split_half_cosine(const FitRefitter& refitter, const ResamplingOptions& options) {
  return refitter.pair_cosines(half_drawing(refitter, kStabilitySplits, options), options.threads).mean();
}

double full_cosine(double split_half) { return split_half > 0 ? 2 * split_half / (1 + split_half) : 0; }

}  // namespace atcav::fit
