#include "stats/top_space.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

Matrix spiked_rows() {
  Matrix rows = Stream(1).normal_matrix(600, 200);
  rows.leftCols(4) *= 30;
  return rows;
}

TopSpace top_of(const Matrix& rows) {
  const Matrix products = rows * rows.transpose();
  return find_top_space(products.diagonal(), [&](const Matrix& block) -> Matrix { return products * block; });
}

double condition(const Matrix& matrix) {
  const Eigen::VectorXd values = Eigen::EigenSolver<Eigen::MatrixXd>(matrix, false).eigenvalues().real();
  return values.maxCoeff() / values.minCoeff();
}

TEST(TopSpace, HoldsTheLongestDirections) {
  const Matrix rows = spiked_rows();
  const TopSpace top = top_of(rows);
  ASSERT_EQ(top.roots.cols(), 16);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(rows * rows.transpose());
  for (Index i = 0; i < 4; ++i) {
    const double exact = solver.eigenvalues()(599 - i);
    EXPECT_NEAR(top.roots.col(15 - i).squaredNorm(), exact, 1e-6 * exact);
  }
  EXPECT_GE(top.left.minCoeff(), 0);
}

TEST(TopSpace, IsEmptyWhereNothingStandsOut) {
  EXPECT_EQ(top_of(Stream(2).normal_matrix(600, 900)).roots.cols(), 0);
  EXPECT_EQ(top_of(spiked_rows().topRows(100)).roots.cols(), 0);  // too few rows for it to pay
}

// Whatever rows are left out, the preconditioned matrix has nothing of the long directions in it.
TEST(TopPreconditioner, IsNearTheInverse) {
  const Matrix rows = spiked_rows();
  const TopSpace top = top_of(rows);
  Vector curved = 0.01 * Stream(3).normal_matrix(600, 1).cwiseAbs();
  for (Index i = 0; i < 600; i += 3) curved(i) = 0;
  const Vector roots = curved.cwiseSqrt();
  Matrix system = roots.asDiagonal() * (rows * rows.transpose()) * roots.asDiagonal();
  system.diagonal().array() += 1;
  const TopPreconditioner near(top, curved);
  Matrix with_top(600, 600);
  for (Index i = 0; i < 600; ++i) with_top.col(i) = near(system.col(i));
  const Matrix with_diagonal = system.diagonal().cwiseInverse().asDiagonal() * system;
  EXPECT_LT(condition(with_top), 0.02 * condition(with_diagonal));
}

// With rows of which nothing is left over, M is the matrix itself.
TEST(TopPreconditioner, IsTheInverseOfWhatItKnows) {
  Matrix rows = Stream(4).normal_matrix(300, 8);
  for (Index j = 0; j < 8; ++j) rows.col(j) *= 1 + static_cast<double>(j);
  const TopSpace top = top_of(rows);
  const Vector curved = Stream(5).normal_matrix(300, 1).cwiseAbs();
  const TopPreconditioner near(top, curved);
  const Vector values = Stream(6).normal_matrix(300, 1);
  const Vector roots = curved.cwiseSqrt();
  const Vector product = rows * (rows.transpose() * values);
  EXPECT_LT((near.guess(values) - roots.cwiseProduct(product)).norm(), 1e-9 * product.norm());
  const Vector inside = rows * (rows.transpose() * roots.cwiseProduct(values));
  const Vector image = values + roots.cwiseProduct(inside);
  EXPECT_LT((near(image) - values).norm(), 1e-9 * values.norm());
}

}  // namespace
}  // namespace atcav::stats
