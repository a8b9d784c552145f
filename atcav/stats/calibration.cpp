#include "atcav/stats/calibration.h"

#include <algorithm>
#include <cmath>

#include "atcav/base/check.h"

namespace atcav::stats {

Reliability reliability(const VectorRef& probabilities, const VectorRef& outcomes, int bins) {
  check_at_least("reliability", "bins", bins, 1);
  check_at_least("reliability", "probabilities", probabilities.size(), 1);
  check_same("reliability", "values", "probabilities", probabilities.size(), "outcomes", outcomes.size());
  Reliability result;
  result.bins.resize(static_cast<std::size_t>(bins));
  for (Index i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities(i);
    if (!(p >= 0 && p <= 1)) fail_argument("reliability", "a probability is outside [0, 1]");
    ReliabilityBin& bin =
        result.bins[static_cast<std::size_t>(std::min(bins - 1, static_cast<int>(p * bins)))];
    bin.mean_probability += p;
    bin.share_true += outcomes(i);
    ++bin.count;
  }
  for (ReliabilityBin& bin : result.bins) {
    if (bin.count == 0) continue;
    result.expected_calibration_error +=
        std::abs(bin.mean_probability - bin.share_true) / static_cast<double>(probabilities.size());
    bin.mean_probability /= static_cast<double>(bin.count);
    bin.share_true /= static_cast<double>(bin.count);
  }
  return result;
}

}  // namespace atcav::stats
