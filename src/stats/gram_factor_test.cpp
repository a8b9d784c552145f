#include "stats/gram_factor.h"

#include <gtest/gtest.h>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// Rounding of n·d products, far below any tolerance the methods need.
constexpr double kTolerance = 1e-10;

void expect_isometric(const Matrix& x, Index rank) {
  const Matrix gram = x * x.transpose();
  const GramFactor factor = factor_gram(gram);
  EXPECT_EQ(factor.rows.cols(), rank);
  EXPECT_LT((factor.rows * factor.rows.transpose() - gram).norm(), kTolerance * gram.norm());
  const Matrix z = Stream(9).normal_matrix(4, x.cols());
  const Matrix copy = coordinates(factor, z * x.transpose());
  EXPECT_LT((copy * factor.rows.transpose() - z * x.transpose()).norm(), kTolerance * gram.norm());
}

TEST(FactorGram, FullRank) { expect_isometric(Stream(1).normal_matrix(20, 300), 20); }

// Several panels, the last of them not full.
TEST(FactorGram, LargeOnesToo) {
  expect_isometric(Stream(4).normal_matrix(200, 300), 200);
  Matrix x = Stream(5).normal_matrix(300, 150);
  x.topRows(40).setZero();
  expect_isometric(x, 150);
}

TEST(FactorGram, MoreRowsThanColumns) { expect_isometric(Stream(2).normal_matrix(40, 7), 7); }

TEST(FactorGram, DuplicatedRowsAreDropped) {
  Matrix x = Stream(3).normal_matrix(12, 50);
  x.row(7) = x.row(2);
  x.row(9) = 2 * x.row(4) - x.row(5);
  expect_isometric(x, 10);
}

TEST(FactorGram, ZeroAndEmpty) {
  EXPECT_EQ(factor_gram(Matrix::Zero(5, 5)).rows.cols(), 0);
  EXPECT_EQ(factor_gram(Matrix(0, 0)).rows.cols(), 0);
}

}  // namespace
}  // namespace atcav::stats
