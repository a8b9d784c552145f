#include "stats/explained.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

struct Problem {
  Matrix rows;  // n × d
  Matrix directions;
  Vector response;
  Matrix features() const { return rows * directions.transpose(); }
  Matrix products() const { return rows * rows.transpose(); }
};

// The response is along the directions, each with its own weight, and noise.
Problem problem_of(Index n, Index d, const std::vector<double>& weights, double noise,
                   std::uint64_t seed = 1) {
  Stream stream(seed, {kTaskSimulation});
  Problem problem{stream.normal_matrix(n, d), stream.normal_matrix(std::ssize(weights), d), {}};
  problem.response =
      3 + (problem.features() * Eigen::Map<const Vector>(weights.data(), std::ssize(weights))).array();
  for (double& value : problem.response) value += noise * stream.normal();
  return problem;
}

// One row at a time left out has a closed form: with r the residuals and ℓ the leverages of the regression on
// all rows, e_i²/(1 + h_i) = r_i²/(1 - ℓ_i).
double left_out_share(const Matrix& features, const Vector& response) {
  const auto n = response.size();
  Matrix design(n, features.cols() + 1);
  design << Vector::Ones(n), features;
  const Matrix hat = design * design.completeOrthogonalDecomposition().pseudoInverse();
  const Eigen::ArrayXd left = (response - hat * response).array().square() / (1 - hat.diagonal().array());
  const Eigen::ArrayXd all = (response.array() - response.mean()).square() / (1 - 1 / static_cast<double>(n));
  return 1 - left.sum() / all.sum();
}

TEST(SpanShare, EqualsTheClosedFormOfLeavingOneOut) {
  for (const double noise : {0.5, 5.0, 50.0}) {
    const Problem problem = problem_of(40, 12, {1, -2, 0.5}, noise);
    const SpanDesign design(problem.features(), problem.products(), {}, {.folds = 40, .random = 2});
    EXPECT_NEAR(design.explain(problem.response)->share, left_out_share(problem.features(), problem.response),
                1e-7);
  }
}

// By the definition: the mean, over all orders, of what a direction adds to those before it.
TEST(SpanShare, ShapleySharesAreThoseOfAllOrders) {
  const Problem problem = problem_of(60, 10, {2, 1, 0}, 4);
  const Matrix features = problem.features();
  const SpanDesign design(features, problem.products(), {}, {.folds = 60, .random = 2});
  const SpanShare found = *design.explain(problem.response);
  std::vector<double> wanted(3);
  std::vector<Index> order = {0, 1, 2};
  do {
    std::vector<Index> before;
    double share = 0;
    for (const Index k : order) {
      before.push_back(k);
      const double with = left_out_share(features(Eigen::all, before), problem.response);
      wanted[static_cast<std::size_t>(k)] += (with - share) / 6;
      share = with;
    }
  } while (std::ranges::next_permutation(order).found);
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.shapley[k], wanted[k], 1e-7);
    EXPECT_LT(found.shapley_intervals[k].low, found.shapley[k]);
    sum += found.shapley[k];
  }
  EXPECT_NEAR(sum, found.share, 1e-12);
}

// Two copies of a direction share what it explains, and one that is constant explains nothing.
TEST(SpanShare, EqualDirectionsShareAndConstantOnesHaveNothing) {
  const Problem problem = problem_of(80, 10, {1}, 1);
  Matrix features(80, 3);
  features << problem.features(), problem.features(), Vector::Constant(80, 7);
  const SpanOptions options{.random = 2};
  const SpanShare found = *SpanDesign(features, problem.products(), {}, options).explain(problem.response);
  const SpanShare alone =
      *SpanDesign(problem.features(), problem.products(), {}, options).explain(problem.response);
  EXPECT_NEAR(found.share, alone.share, 1e-5);
  EXPECT_NEAR(found.shapley[0], alone.share / 2, 1e-5);
  EXPECT_NEAR(found.shapley[1], alone.share / 2, 1e-5);
  EXPECT_NEAR(found.shapley[2], 0, 1e-5);
}

// Drawn from products alone they explain what directions drawn in all columns do. Independent normal rows and
// a linear response: one direction of d explains 1/d on average.
TEST(SpanShare, RandomDirectionsExplainWhatDrawnOnesDo) {
  constexpr Index kColumns = 25;
  const Problem problem = problem_of(400, kColumns, {1}, 0);
  const SpanDesign design(problem.features(), problem.products(), {}, {.random = 400});
  const SpanShare found = *design.explain(problem.response);
  // sd of one share about √2/d; 400 draws; and what 400 rows are off by.
  EXPECT_NEAR(found.random_mean, 1.0 / kColumns, 0.012);
  EXPECT_NEAR(found.random_sd, std::sqrt(2.0) / kColumns, 0.02);
  EXPECT_GT(found.share, 0.999);
}

TEST(SpanShare, TheCeilingHoldsWhatIsLinearBesideTheDirections) {
  Problem problem = problem_of(150, 12, {1, 0}, 0);
  const auto of = [&](const Vector& response) {
    return *SpanDesign(problem.features().col(0), problem.products(), {}, {.random = 2}).explain(response);
  };
  // All is linear: nothing is left by 12 columns and 150 rows.
  const Vector other = problem.rows.col(3) * 5;
  EXPECT_GT(of(problem.response + other).ceiling, 0.98);
  EXPECT_LT(of(problem.response + other).share, 0.6);
  // Noise beside the direction: nothing more than the direction is found.
  Stream stream(9);
  Vector noise(150);
  for (double& value : noise) value = 3 * stream.normal();
  const SpanShare noisy = of(problem.response + noise);
  EXPECT_NEAR(noisy.ceiling, noisy.share, 0.04);
}

// Where the directions are all that the layer has, what rounding leaves of the products is nothing.
TEST(SpanShare, TheCeilingIsTheShareWhereNothingElseIsThere) {
  const Problem problem = problem_of(60, 2, {1, -1}, 2);
  const Matrix features = problem.features();
  Stream stream(3);
  const Matrix noise = 1e-8 * stream.normal_matrix(60, 60);
  for (const double scale : {0.0, 1.0}) {
    const Matrix products = problem.products() + scale * (noise + noise.transpose());
    const SpanShare found = *SpanDesign(features, products, {}, {.random = 2}).explain(problem.response);
    EXPECT_NEAR(found.ceiling, found.share, 1e-9);
  }
}

// Five copies of each row tell no more than one, if they are known to belong together.
TEST(SpanShare, CopiesInGroupsTellNoMore) {
  const Problem problem = problem_of(60, 10, {1, 1}, 3);
  std::vector<Index> copied;
  Groups groups;
  for (Index i = 0; i < 60; ++i) {
    for (int copy = 0; copy < 5; ++copy) {
      copied.push_back(i);
      groups.of_row.push_back(i);
    }
  }
  groups.count = 60;
  const Matrix features = problem.features();
  const Matrix products = problem.products();
  const SpanOptions options{.random = 2};
  const auto width = [](const SpanShare& found) { return found.interval.high - found.interval.low; };
  const SpanShare once = *SpanDesign(features, products, {}, options).explain(problem.response);
  const SpanShare grouped =
      *SpanDesign(features(copied, Eigen::all), products(copied, copied), groups, options)
           .explain(problem.response(copied));
  const SpanShare alone = *SpanDesign(features(copied, Eigen::all), products(copied, copied), {}, options)
                               .explain(problem.response(copied));
  EXPECT_NEAR(grouped.share, once.share, 0.04);  // what fitting costs is taken off by rows
  EXPECT_NEAR(width(grouped), width(once), 0.1 * width(once));
  EXPECT_LT(width(alone), 0.6 * width(once));
}

TEST(SpanShare, DoesNotDependOnThreads) {
  const Problem problem = problem_of(50, 30, {1, 2, 3, 0, 0, 1, 1, 0, 2}, 4);
  const auto found = [&](int threads) {
    return *SpanDesign(problem.features(), problem.products(), {}, {.random = 5, .threads = threads})
                .explain(problem.response);
  };
  const SpanShare one = found(1);
  const SpanShare four = found(4);
  EXPECT_EQ(one.share, four.share);
  EXPECT_EQ(one.random_mean, four.random_mean);
  EXPECT_EQ(one.ceiling, four.ceiling);
  EXPECT_EQ(one.shapley, four.shapley);
}

TEST(SpanShare, ScalesAndShiftsChangeNothing) {
  const Problem problem = problem_of(50, 20, {1, 2}, 4);
  const SpanOptions options{.random = 3};
  const SpanShare as_is =
      *SpanDesign(problem.features(), problem.products(), {}, options).explain(problem.response);
  const Matrix shifted = (1e3 * problem.features()).array() + 1e6;
  const SpanShare other = *SpanDesign(shifted, 1e6 * problem.products(), {}, options)
                               .explain((-1e-3 * problem.response).array() + 50);
  EXPECT_NEAR(other.share, as_is.share, 1e-6);
  EXPECT_NEAR(other.ceiling, as_is.ceiling, 1e-6);
  EXPECT_NEAR(other.random_mean, as_is.random_mean, 1e-6);
}

TEST(SpanShare, RefusesTooFewRowsAndHasNothingOfAConstant) {
  const Problem problem = problem_of(40, 20, {1, 2}, 4);
  EXPECT_FALSE(SpanDesign(problem.features(), problem.products(), {}, {.random = 2})
                   .explain(Vector::Constant(40, 2.5)));
  EXPECT_FALSE(SpanDesign::fits(29, 1));
  EXPECT_FALSE(SpanDesign::fits(40, 18));
  EXPECT_TRUE(SpanDesign::fits(40, 17));
  EXPECT_THROW(SpanDesign(problem.rows, problem.products(), {}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
