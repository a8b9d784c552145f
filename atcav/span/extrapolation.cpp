#include "atcav/span/extrapolation.h"

#include <algorithm>

#include "atcav/base/check.h"

namespace atcav::span {

double extrapolate(const VectorRef& full, const Matrix& halves, const stats::ScoreRule& rule) {
  check_at_least("extrapolate", "halves", halves.rows(), 1);
  double sum = 0;
  for (Index k = 0; k < halves.rows(); ++k) sum += stats::score(halves.row(k).transpose(), rule);
  return std::clamp(2 * stats::score(full, rule) - sum / static_cast<double>(halves.rows()), 0.0, 1.0);
}

}  // namespace atcav::span
