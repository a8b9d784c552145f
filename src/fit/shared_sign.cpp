#include "fit/shared_sign.h"

#include <algorithm>
#include <cmath>

#include "atcav/effect.h"
#include "core/check.h"

namespace atcav::fit {

SharedSign::SharedSign(double of_mean, double of_inputs, double degrees, const Matrix& refits, double level) {
  check_at_least("SharedSign", "refits", refits.rows(), 2);
  if (!(of_mean > kCoherent * of_inputs)) return;
  Vector means = refits.rowwise().mean();
  means.array() -= means.mean();
  const double scatter = means.norm();
  if (scatter == 0) return;
  const double reach = stats::t_quantile((1 + level) / 2, degrees);
  const Vector shift =
      reach / scatter / std::sqrt(static_cast<double>(refits.rows() - 1)) * (refits.transpose() * means);
  ends_ = std::make_shared<Ends>(Matrix(refits.rowwise() - shift.transpose()),
                                 Matrix(refits.rowwise() + shift.transpose()));
}

stats::Interval SharedSign::widened(stats::Interval interval, const stats::ScoreRule& rule) const {
  if (!ends_) return interval;
  for (const stats::RefitScores* end : {&ends_->of_low, &ends_->of_high}) {
    const Vector rough = end->roughly(rule);
    constexpr double kOff = 2 * stats::RefitScores::kRoughError;
    if (rough.size() > 0 && rough.mean() > interval.low + kOff && rough.mean() < interval.high - kOff)
      continue;
    double sum = 0;
    for (const double score : end->of(rule)) sum += score;
    const double mean = sum / static_cast<double>(end->refits().rows());
    interval = {std::min(interval.low, mean), std::max(interval.high, mean)};
  }
  return interval;
}

}  // namespace atcav::fit
