#include "fit/reduction.h"

#include <gtest/gtest.h>

#include "fit/testing_refitter.h"

namespace atcav::fit {
namespace {

// Later rows repeat earlier ones, so some are random and concept at once.
Matrix repeated(Matrix rows, Index different) {
  for (Index i = different; i < rows.rows(); ++i) rows.row(i) = rows.row((i * 7) % different);
  return rows;
}

TEST(Reduce, KeepsInnerProductsAndTheFitsOfAllColumns) {
  const Matrix gradients = Stream(1).normal_matrix(12, 300);
  for (const Index rank : {55, 47}) {
    const Matrix rows = repeated(two_sets(2, 40, 15, 300, 1, 2), rank);
    const Matrix inner = rows * rows.transpose();
    const Matrix products = gradients * rows.transpose();
    const Reduction small = reduce(inner, products);
    EXPECT_EQ(small.features.cols(), rank);
    EXPECT_LT((small.features * small.features.transpose() - inner).norm(), 1e-12 * inner.norm());
    EXPECT_LT((small.gradients * small.features.transpose() - products).norm(), 1e-12 * products.norm());
    for (const auto method :
         {stats::CavMethod::kRidge, stats::CavMethod::kLogistic, stats::CavMethod::kSvm}) {
      // Cost 0.01: where duplicates carry both labels a large cost makes the problem ill-conditioned.
      const stats::CavOptions options{.method = method, .cost = 0.01};
      const Vector wide =
          gradients * stats::fit_cav(rows.topRows(40), rows.bottomRows(15), options).direction;
      const stats::Cav found =
          stats::fit_cav(small.features.topRows(40), small.features.bottomRows(15), options);
      EXPECT_LT((small.gradients * found.direction - wide).norm(), 1e-7 * wide.norm()) << name(method);
    }
  }
}

TEST(Reduce, AllRowsEqualHaveRankOne) {
  const Matrix row = Stream(2).normal_matrix(1, 50).array() + 3;
  const Matrix gradients = Stream(1).normal_matrix(3, 50);
  const Matrix rows = row.replicate(8, 1);
  const Reduction small = reduce(rows * rows.transpose(), gradients * rows.transpose());
  EXPECT_EQ(small.features.cols(), 1);
  const Vector expected = gradients * row.transpose();
  EXPECT_TRUE((small.gradients * small.features.row(5).transpose()).isApprox(expected, 1e-12));
}

TEST(Reduce, RowsOfZerosAreOneColumnOfZeros) {
  const Reduction small = reduce(Matrix::Zero(8, 8), Matrix::Zero(3, 8));
  EXPECT_TRUE(small.features == Matrix::Zero(8, 1));
  EXPECT_TRUE(small.gradients == Matrix::Zero(3, 1));
  EXPECT_TRUE(as_combination(small, Vector::Zero(1)) == Vector::Zero(8));
}

TEST(Reduce, ADirectionIsACombinationOfTheRows) {
  const Matrix rows = Stream(2).normal_matrix(12, 50).array() + 3;
  const Matrix gradients = Stream(1).normal_matrix(3, 50);
  const Reduction small = reduce(rows * rows.transpose(), gradients * rows.transpose());
  const Vector direction = Vector::LinSpaced(small.features.cols(), -1, 2);
  const Vector wide = rows.transpose() * as_combination(small, direction);
  EXPECT_TRUE((rows * wide).isApprox(small.features * direction, 1e-9));
  EXPECT_TRUE((gradients * wide).isApprox(small.gradients * direction, 1e-9));
}

TEST(Reduce, WantsAProductWithEveryRow) {
  EXPECT_THROW(reduce(Matrix::Identity(5, 5), Matrix::Zero(2, 4)), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::fit
