#include "core/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "atcav/random.h"

namespace atcav {
namespace {

Matrix positive_matrix(Index n) {
  Stream stream(static_cast<std::uint64_t>(n));
  const Matrix half = stream.normal_matrix(n, n + 20);
  return half * half.transpose() / static_cast<double>(n);
}

// Sizes below, at and beyond those of blocks and tasks.
TEST(Cholesky, IsEigens) {
  for (const Index n : {1, 5, 48, 49, 96, 200, 337}) {
    const Matrix a = positive_matrix(n);
    const auto found = cholesky(a, 1);
    ASSERT_TRUE(found) << n;
    const Matrix wanted = Eigen::LLT<Matrix>(a).matrixL();
    EXPECT_LT((*found - wanted).cwiseAbs().maxCoeff(), 1e-11) << n;
    EXPECT_EQ(*found, *cholesky(a, 2)) << n;
  }
}

TEST(Cholesky, HasNoneOfWhatIsNotPositive) {
  Matrix a = positive_matrix(120);
  a(100, 100) = 0;
  EXPECT_FALSE(cholesky(a, 1));
}

TEST(TriangularSolver, SolvesBothWays) {
  for (const Index n : {1, 48, 130, 337}) {
    const Matrix lower = *cholesky(positive_matrix(n), 1);
    const TriangularSolver solver(lower);
    const Matrix x = Stream(7).normal_matrix(n, 16);
    Matrix found = lower * x;
    solver.solve(found);
    EXPECT_LT((found - x).cwiseAbs().maxCoeff(), 1e-10) << n;
    found = lower.transpose() * x;
    solver.solve_transposed(found);
    EXPECT_LT((found - x).cwiseAbs().maxCoeff(), 1e-10) << n;
    const Matrix many = Stream(8).normal_matrix(n, 131);
    found = lower * (lower.transpose() * many);
    solver.solve_both(found, 2);
    EXPECT_LT((found - many).cwiseAbs().maxCoeff(), 1e-9) << n;
  }
}

}  // namespace
}  // namespace atcav
