#include "fit/descent_step.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "atcav/random.h"

namespace atcav::span {
namespace {

struct Problem {
  Matrix rows;
  Vector curved;  // some rows count nothing
  Vector gap;

  Problem(Index n, Index columns)
      : rows(Stream(7).normal_matrix(n, columns)),
        curved(Stream(8).normal_matrix(n, 1).col(0).cwiseAbs()),
        gap(Stream(9).normal_matrix(n, 1).col(0)) {
    for (Index i = 0; i < n; i += 5) curved(i) = 0;
  }

  Vector right() const { return gap - curved * (gap.sum() / curved.sum()); }

  // What w and b together ask for: (I + Xᵀ D X) w + Xᵀ D b = Xᵀ g, Σ D (X w + b) = Σ g.
  Vector dense() const {
    const Index d = rows.cols();
    Matrix system(d + 1, d + 1);
    const Vector along = rows.transpose() * curved;
    system.topLeftCorner(d, d) = Matrix::Identity(d, d) + rows.transpose() * curved.asDiagonal() * rows;
    system.topRightCorner(d, 1) = along;
    system.bottomLeftCorner(1, d) = along.transpose();
    system(d, d) = curved.sum();
    Vector right(d + 1);
    right << rows.transpose() * gap, gap.sum();
    return system.fullPivLu().solve(right).head(d);
  }

  double objective(const Vector& change) const {
    const Vector w = rows.transpose() * change;
    const Vector f = rows * w;
    const double b = (gap.sum() - curved.dot(f)) / curved.sum();
    return 0.5 * w.squaredNorm() + 0.5 * curved.dot((f.array() + b).square().matrix()) -
           gap.dot((f.array() + b).matrix());
  }
};

TEST(DescentStep, IsTheStepOfADenseSolverWhateverTheRank) {
  for (const auto& [n, columns] : {std::pair<Index, Index>{30, 80}, {80, 30}}) {
    const Problem problem(n, columns);
    DescentStep step(problem.right(), problem.curved);
    double before = 0;
    for (int i = 0; i < 200; ++i) {
      const Vector product = problem.rows * (problem.rows.transpose() * step.residual());
      if (step.left(product) < 1e-24 || !step.advance(product)) break;
      const double here = problem.objective(step.change());
      EXPECT_LT(here, before + 1e-12 * std::abs(before));
      before = here;
    }
    const Vector wanted = problem.dense();
    const Vector found = problem.rows.transpose() * step.change();
    EXPECT_LT((found - wanted).norm(), 1e-9 * wanted.norm()) << n;
    EXPECT_LT((problem.rows * found - step.change_product()).norm(), 1e-9 * step.change_product().norm());
  }
}

}  // namespace
}  // namespace atcav::span
