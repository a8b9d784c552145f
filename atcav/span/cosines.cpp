#include "atcav/span/cosines.h"

#include <algorithm>

namespace atcav::span {

Matrix cosines_between(Matrix directions) {
  for (auto row : directions.rowwise()) {
    const double length = row.norm();
    if (length > 0) row /= length;
  }
  const Matrix products = directions * directions.transpose();
  // Rounding must not give a cosine beyond 1.
  return products.unaryExpr([](double cosine) { return std::clamp(cosine, -1.0, 1.0); });
}

}  // namespace atcav::span
