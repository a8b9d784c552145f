#include "fit/weighted_fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "atcav/random.h"
#include "stats/logistic.h"

namespace atcav::fit {
namespace {

using stats::CavMethod;

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
  int in_float = 0;
  int in_double = 0;
};

// Answers every request as it may be answered: in float where that is allowed.
Solved solve(const Problem& problem, const stats::CavOptions& options) {
  const Matrix products = problem.rows * problem.rows.transpose();
  const MatrixF rough = products.cast<float>();
  const TopSpace top =
      find_top_space(products.diagonal(), [&](const Matrix& block) -> Matrix { return products * block; });
  WeightedFit fit(problem.all, options, top, nullptr);
  Solved solved;
  while (!fit.done()) {
    const bool is_rough = fit.rough();
    (is_rough ? solved.in_float : solved.in_double) += 1;
    if (is_rough) {
      fit.answer((rough * fit.request().cast<float>()).cast<double>());
    } else {
      fit.answer(products * fit.request());
    }
  }
  solved.converged = fit.converged();
  solved.direction = problem.rows.transpose() * fit.point().coefficients;
  if (options.method == CavMethod::kRidge)
    solved.direction *= std::sqrt(static_cast<double>(problem.rows.rows()));
  fmt::print("{}: {} products in float, {} in double\n", stats::name(options.method), solved.in_float,
             solved.in_double);
  return solved;
}

double error(const Problem& problem, const stats::CavOptions& options, const Solved& solved) {
  const Vector wanted = stats::fit_cav(problem.rows.topRows(problem.random),
                                       problem.rows.bottomRows(problem.rows.rows() - problem.random), options)
                            .direction;
  return (solved.direction - wanted).norm() / wanted.norm();
}

const std::vector<stats::CavOptions> kFits = {{.method = CavMethod::kRidge, .lambda = 0.1, .centred = true},
                                              {.method = CavMethod::kLogistic, .cost = 0.01},
                                              {.method = CavMethod::kSvm, .cost = 0.01}};

TEST(WeightedFit, MostProductsAreInFloat) {
  const Problem problem = draw(300, 500, 0);
  for (const stats::CavOptions& options : kFits) {
    const Solved solved = solve(problem, options);
    EXPECT_TRUE(solved.converged);
    EXPECT_LT(error(problem, options, solved), 1e-6) << stats::name(options.method);
    EXPECT_GT(solved.in_float, solved.in_double) << stats::name(options.method);
  }
}

// A bound says that float might have lost the step; one product in double says that it has not.
TEST(WeightedFit, FloatGoesOnWhereRowsCancelALittle) {
  const Problem problem = draw(300, 500, 10);
  for (const stats::CavOptions& options : kFits) {
    const Solved solved = solve(problem, options);
    EXPECT_TRUE(solved.converged);
    EXPECT_LT(error(problem, options, solved), 1e-6) << stats::name(options.method);
    EXPECT_GT(solved.in_float, solved.in_double) << stats::name(options.method);
  }
}

// Or the fit gives up and says so: whatever it calls solved is right.
TEST(WeightedFit, DoubleTakesOverWhereRowsCancelAlmostWholly) {
  const Problem problem = draw(300, 500, 3000);
  int converged = 0;
  for (const stats::CavOptions& options : kFits) {
    const Solved solved = solve(problem, options);
    EXPECT_GT(solved.in_double, solved.in_float) << stats::name(options.method);
    if (!solved.converged) continue;
    ++converged;
    EXPECT_LT(error(problem, options, solved), 1e-5) << stats::name(options.method);
  }
  EXPECT_GE(converged, 1);
}

// K has a null space, and eigenvalues of all sizes: by unfinished steps of the equations with D½ K D½ alone
// the fits took 619 to 1,410 products, and one gave up.
TEST(WeightedFit, LogisticRegressionNeedsFewStepsWhereRowsOutnumberColumns) {
  for (const Index columns : {100, 200, 320}) {
    Problem problem = draw(400, columns, 0);
    for (Index j = 0; j < columns; ++j) problem.rows.col(j) *= 30 / std::sqrt(1.0 + static_cast<double>(j));
    problem.all.labels.setConstant(-1);
    for (Index i = 0; i < 400; i += 6) problem.all.labels(i) = 1;
    const stats::CavOptions options{.method = CavMethod::kLogistic, .cost = 1};
    const Solved solved = solve(problem, options);
    EXPECT_TRUE(solved.converged) << columns;
    EXPECT_LT(solved.in_float + solved.in_double, 550) << columns;
    const Vector wanted = stats::fit_logistic(problem.rows, problem.all.labels, 1).direction;
    EXPECT_LT((solved.direction - wanted).norm(), 1e-6 * wanted.norm()) << columns;
  }
}

// No gradient left and a square below 0 are not the same.
TEST(WeightedFit, GivesUpWhereProductsAreNotThoseOfRows) {
  const Index n = 40;
  Vector labels = Vector::Ones(n);
  labels.head(20).setConstant(-1);
  TopSpace top = find_top_space(Vector::Ones(n), [](const Matrix& block) { return block; });
  top.filled = 1;
  WeightedFit fit({Vector::Ones(n), labels}, {.method = CavMethod::kLogistic}, top, nullptr);
  while (!fit.done()) fit.answer(-fit.request());
  EXPECT_FALSE(fit.converged());
}

}  // namespace
}  // namespace atcav::fit
