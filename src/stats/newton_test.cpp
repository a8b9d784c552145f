#include "stats/newton.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "atcav/random.h"
#include "stats/testing_fits.h"

namespace atcav::stats {
namespace {

struct Problem {
  Matrix rows;
  WeightedRows all;
  Index random;
};

// Rows of standard deviation 1 around `mean`: their products nearly cancel where the mean is large.
Problem draw(Index n, Index columns, double mean) {
  Problem problem{Stream(31).normal_matrix(n, columns), {Vector::Ones(n), Vector::Ones(n)}, n - n / 4};
  problem.rows.array() += mean;
  problem.rows.bottomRows(n / 4).leftCols(columns / 10).array() += 0.2;
  problem.all.labels.head(problem.random).setConstant(-1);
  return problem;
}

struct Solved {
  Vector direction;
  bool converged = false;
  int products = 0;
};

Solved solve(const Problem& problem, const CavOptions& options) {
  const Kernel kernel = Kernel::of_products(problem.rows * problem.rows.transpose(), 1);
  const TopSpace top =
      find_top_space(kernel.diagonal(), [&](const Matrix& block) { return kernel.times(block, 1); });
  const WeightedFit fit = fit_together({&kernel, &top, options}, {problem.all}, nullptr, 1).front();
  Solved solved{problem.rows.transpose() * fit.at.coefficients, fit.converged, fit.products};
  if (options.method == CavMethod::kRidge)
    solved.direction *= std::sqrt(static_cast<double>(problem.rows.rows()));
  fmt::print("{}: {} products\n", name(options.method), fit.products);
  return solved;
}

double error(const Problem& problem, const CavOptions& options, const Solved& solved) {
  const Vector wanted =
      plain_direction(problem.rows.topRows(problem.random),
                      problem.rows.bottomRows(problem.rows.rows() - problem.random), options);
  return (solved.direction - wanted).norm() / wanted.norm();
}

const std::vector<CavOptions> kFits = {{.method = CavMethod::kRidge, .lambda = 0.1, .centred = true},
                                       {.method = CavMethod::kLogistic, .cost = 0.01},
                                       {.method = CavMethod::kSvm, .cost = 0.01}};

// Products nearly cancel where the rows' mean is large. A mean of 3,000 leaves float nothing: whatever is
// called solved is right.
TEST(FitTogether, IsRightWhereRowsCancel) {
  for (const auto& [mean, allowed] : {std::pair{0.0, 1e-6}, {10.0, 1e-6}, {3000.0, 1e-5}}) {
    const Problem problem = draw(300, 500, mean);
    for (const CavOptions& options : kFits) {
      const Solved solved = solve(problem, options);
      EXPECT_TRUE(solved.converged || mean > 10) << mean;
      if (!solved.converged) continue;
      EXPECT_LT(error(problem, options, solved), allowed) << name(options.method) << ", mean " << mean;
    }
  }
}

// K has a null space, and eigenvalues of all sizes.
TEST(FitTogether, LogisticRegressionNeedsFewStepsWhereRowsOutnumberColumns) {
  for (const Index columns : {100, 200, 320}) {
    Problem problem = draw(400, columns, 0);
    for (Index j = 0; j < columns; ++j) problem.rows.col(j) *= 30 / std::sqrt(1.0 + static_cast<double>(j));
    const CavOptions options{.method = CavMethod::kLogistic, .cost = 1};
    const Solved solved = solve(problem, options);
    EXPECT_TRUE(solved.converged) << columns;
    EXPECT_LT(solved.products, 1300) << columns;
    EXPECT_LT(error(problem, options, solved), 1e-6) << columns;
  }
}

// Whoever shares a block, a fit's bits are its own.
TEST(FitTogether, DependsOnItsOwnProblemAlone) {
  const Problem problem = draw(120, 70, 0);
  const Kernel kernel = Kernel::of_rows(problem.rows, 1);
  const TopSpace top =
      find_top_space(kernel.diagonal(), [&](const Matrix& block) { return kernel.times(block, 1); });
  std::vector<WeightedRows> problems(21, problem.all);
  for (Index k = 0; k < 21; ++k) problems[static_cast<std::size_t>(k)].weights(k) = 3;
  for (const CavOptions& options : kFits) {
    const FitSetting setting{&kernel, &top, options};
    const std::vector<WeightedFit> together = fit_together(setting, problems, nullptr, 3);
    for (const std::size_t k : {0, 8, 20}) {
      const WeightedFit alone = fit_together(setting, {problems[k]}, nullptr, 1).front();
      EXPECT_EQ(together[k].at.coefficients, alone.at.coefficients) << name(options.method);
      EXPECT_EQ(together[k].at.intercept, alone.at.intercept);
    }
  }
}

// A square below 0: no rows have such products.
TEST(FitTogether, GivesUpWhereProductsAreNotThoseOfRows) {
  const Index n = 40;
  const Kernel kernel = Kernel::of_products(-Matrix::Identity(n, n), 1);
  const TopSpace top{Matrix(n, 0), Vector::Ones(n), Vector::Ones(n)};
  EXPECT_FALSE(fit_together({&kernel, &top, {.method = CavMethod::kLogistic}},
                            {{Vector::Ones(n), signs(20, 20)}}, nullptr, 1)
                   .front()
                   .converged);
}

}  // namespace
}  // namespace atcav::stats
