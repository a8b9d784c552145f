#include "fit/shared_sign.h"

#include <algorithm>
#include <cmath>

#include "atcav/effect.h"
#include "core/check.h"

namespace atcav::fit {

SharedSign::SharedSign(double of_mean, double of_inputs, double degrees, const Matrix& refits, double level)
    : refits_(refits) {
  check_at_least("SharedSign", "refits", refits.rows(), 2);
  if (!(of_mean > kCoherent * of_inputs)) return;
  Vector means = refits.rowwise().mean();
  means.array() -= means.mean();
  const double scatter = means.norm();
  if (scatter == 0) return;
  const double reach = stats::t_quantile((1 + level) / 2, degrees);
  shift_ = reach / scatter / std::sqrt(static_cast<double>(refits.rows() - 1)) * (refits.transpose() * means);
}

stats::Interval SharedSign::widened(stats::Interval interval, const stats::ScoreRule& rule) const {
  if (shift_.size() == 0) return interval;
  for (const double side : {-1.0, 1.0}) {
    double mean = 0;
    for (Index k = 0; k < refits_.rows(); ++k)
      mean += stats::score(refits_.row(k).transpose() + side * shift_, rule);
    mean /= static_cast<double>(refits_.rows());
    interval = {std::min(interval.low, mean), std::max(interval.high, mean)};
  }
  return interval;
}

}  // namespace atcav::fit
