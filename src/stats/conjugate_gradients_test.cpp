#include "stats/conjugate_gradients.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// As many steps as there are unknowns, and one where the preconditioner is the inverse.
TEST(ConjugateGradients, SolveInAsManySteps) {
  const Index n = 12;
  const Matrix root = Stream(1).normal_matrix(n, n);
  const Matrix a = root * root.transpose() + Matrix::Identity(n, n);
  const Vector b = Stream(2).normal_matrix(n, 1);
  const Eigen::LLT<Eigen::MatrixXd> factor(a);
  const auto solve = [&](int steps, const auto& precondition) {
    Vector x = Vector::Zero(n);
    ConjugateGradients search(b, precondition);
    for (int i = 0; i < steps; ++i) {
      const Vector image = a * search.direction();
      x += search.length(image) * search.direction();
      search.advance(image, precondition);
    }
    return Vector(x - factor.solve(b));
  };
  EXPECT_LT(solve(n, [](const Vector& r) { return r; }).norm(), 1e-9);
  EXPECT_GT(solve(n / 2, [](const Vector& r) { return r; }).norm(), 1e-6);
  EXPECT_LT(solve(1, [&](const Vector& r) -> Vector { return factor.solve(r); }).norm(), 1e-12);
}

TEST(ConjugateGradients, HaveNoLengthWhereRoundingTakesOver) {
  const ConjugateGradients search(Vector::Zero(3), [](const Vector& r) { return r; });
  EXPECT_EQ(search.length(Vector::Zero(3)), 0);
}

}  // namespace
}  // namespace atcav::stats
