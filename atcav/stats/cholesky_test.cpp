#include "atcav/stats/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "atcav/base/random.h"

namespace atcav::stats {
namespace {

Matrix positive_definite(Index n) {
  const Matrix rows = Stream(4).normal_matrix(n, n / 2 + 1);
  Matrix a = rows * rows.transpose();
  a.diagonal().array() += 0.1;
  return a;
}

// Sizes around those of a panel and of a square.
TEST(Cholesky, SolvesAsEigenDoes) {
  for (const Index n : {1, 7, 96, 97, 192, 288, 289, 700}) {
    const Matrix a = positive_definite(n);
    const Matrix right = Stream(5).normal_matrix(35, n);
    const Matrix wanted = Eigen::MatrixXd(a).llt().solve(right.transpose()).transpose();
    const auto one = Cholesky::factor(a, 1);
    const auto three = Cholesky::factor(a, 3);
    ASSERT_TRUE(one && three) << n;
    const Matrix found = one->solve(right, 1);
    EXPECT_LT((found - wanted).norm(), 1e-9 * wanted.norm()) << n;
    EXPECT_EQ(found, three->solve(right, 3)) << n;
  }
}

TEST(Cholesky, ReadsTheLowerTriangleAlone) {
  Matrix a = positive_definite(300);
  const Matrix right = Stream(5).normal_matrix(2, 300);
  const Matrix wanted = Cholesky::factor(a)->solve(right);
  a.triangularView<Eigen::StrictlyUpper>().setConstant(77);
  EXPECT_EQ(Cholesky::factor(a)->solve(right), wanted);
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  Matrix a = positive_definite(300);
  a(250, 250) = -1;
  EXPECT_FALSE(Cholesky::factor(a));
  EXPECT_THROW(Cholesky::factor(Matrix::Ones(2, 3)), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
