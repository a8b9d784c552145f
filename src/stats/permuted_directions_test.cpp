#include "stats/permuted_directions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

TEST(PermutedDirections, FindsADirectionThatGoesWithTheGradient) {
  Stream stream(3);
  const Matrix gradients = stream.normal_matrix(1, 40);
  Matrix directions = stream.normal_matrix(5, 40);
  directions.row(2) += 3 * gradients;
  const PermutedDirections found = compare_with_permuted(directions, gradients, 999, 1, 2, 0);
  EXPECT_LT(found.p(2), 0.01);
  EXPECT_NEAR(found.cosines(2),
              std::abs(directions.row(2).dot(gradients.row(0))) / directions.row(2).norm() / gradients.norm(),
              1e-12);
  EXPECT_EQ(found.p, compare_with_permuted(directions, 7 * gradients, 999, 1, 2, 3).p);
}

// Heads whose weights are exchangeable: one of ten p is below 0.05 in one network of twenty, also where all
// directions and weights have a mean (as behind a ReLU).
TEST(PermutedDirections, HoldsItsLevelOverAllDirections) {
  constexpr Index kRepeats = 400;
  Index hits = 0;
  for (Index r = 0; r < kRepeats; ++r) {
    Stream stream(11, {static_cast<std::uint64_t>(r)});
    const Matrix directions = (stream.normal_matrix(10, 30).array() + 1).cwiseMax(0).matrix();
    const Matrix gradients = (stream.normal_matrix(2, 30).array() + 0.5).matrix();
    const PermutedDirections found = compare_with_permuted(directions, gradients, 199, 5, r, 0);
    hits += found.p.minCoeff() < 0.05 ? 1 : 0;
  }
  // 20 expected, sd 4.4; below 0.05 of 1/200 steps is 9 of 200.
  EXPECT_LT(hits, 20 + 4 * 4.4);
  EXPECT_GT(hits, 20 - 4 * 4.4);
}

TEST(PermutedDirections, AZeroDirectionGoesWithNothing) {
  const PermutedDirections found = compare_with_permuted(Matrix::Zero(2, 3), Matrix::Ones(1, 3), 99, 0, 0, 0);
  EXPECT_EQ(found.p, Vector::Ones(2));
  EXPECT_THROW(compare_with_permuted(Matrix::Zero(2, 3), Matrix::Ones(1, 4), 99, 0, 0, 0),
               std::invalid_argument);
  EXPECT_EQ(affordable_permutations(10, 100'000'000), 199);
  EXPECT_EQ(affordable_permutations(1, 2), 9999);
}

}  // namespace
}  // namespace atcav::stats
