#include "stats/nonnegative_factors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// Three parts on channels of their own, and rows that have random amounts of them.
struct Planted {
  Matrix parts = Matrix::Zero(3, 9);
  MatrixF rows;
};

Planted planted() {
  Planted made;
  for (Index k = 0; k < 3; ++k) made.parts.row(k).segment(3 * k, 3) << 1, 2, 1 + static_cast<double>(k);
  const Matrix amounts = Stream(3).normal_matrix(200, 3).cwiseMax(0);
  made.rows = (amounts * made.parts).cast<float>();
  return made;
}

TEST(NonnegativeFactors, FindsPlantedParts) {
  const Planted made = planted();
  const NonnegativeFactors found = nonnegative_factors(made.rows, {.factors = 3});
  EXPECT_LT(found.squares, 1e-3 * made.rows.squaredNorm());
  for (Index k = 0; k < 3; ++k) {
    const Vector cosines = found.factors * made.parts.row(k).transpose() / made.parts.row(k).norm();
    EXPECT_GT(cosines.maxCoeff(), 0.99) << k;
  }
  EXPECT_GE(found.factors.minCoeff(), 0);
  EXPECT_GE(found.weights.minCoeff(), 0);
  EXPECT_NEAR((made.rows.cast<double>() - found.weights * found.factors).squaredNorm(), found.squares, 1e-4);
}

// At the smallest sum of squares the gradient is 0 where a weight is positive and not negative where it is 0.
TEST(NonnegativeFactors, WeightsAreAtTheSmallestSquares) {
  const Matrix factors = Stream(5).normal_matrix(3, 6).cwiseAbs();
  const MatrixF rows = Stream(6).normal_matrix(40, 6).cwiseAbs().cast<float>();
  const Matrix weights = nonnegative_weights(rows, factors);
  const Matrix slope = (weights * factors - rows.cast<double>()) * factors.transpose();
  for (Index i = 0; i < slope.size(); ++i) {
    EXPECT_GT(slope.data()[i], -1e-3);
    EXPECT_NEAR(weights.data()[i] > 1e-6 ? slope.data()[i] : 0, 0, 1e-3);
  }
}

TEST(NonnegativeFactors, RefusesNegativeValuesAndRepeatsItself) {
  MatrixF rows = planted().rows;
  EXPECT_EQ(nonnegative_factors(rows, {.factors = 4, .threads = 1}).factors,
            nonnegative_factors(rows, {.factors = 4, .threads = 3}).factors);
  rows(0, 0) = -1;
  EXPECT_THROW(nonnegative_factors(rows, {}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
