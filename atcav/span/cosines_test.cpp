#include "atcav/span/cosines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace atcav::span {
namespace {

TEST(CosinesBetween, AnglesInThePlane) {
  // 0°, 60°, 180° and nothing; lengths do not matter.
  const Matrix found = cosines_between(Matrix{{2, 0}, {0.5, std::sqrt(0.75)}, {-3, 0}, {0, 0}});
  const Matrix expected{{1, 0.5, -1, 0}, {0.5, 1, -0.5, 0}, {-1, -0.5, 1, 0}, {0, 0, 0, 0}};
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(CosinesBetween, NeverBeyondOne) {
  const Matrix found = cosines_between(Matrix::Constant(2, 3, 0.1));
  EXPECT_LE(found.maxCoeff(), 1);
}

}  // namespace
}  // namespace atcav::span
