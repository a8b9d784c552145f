#include "stats/erasure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atcav/cav.h"
#include "stats/testing_rows.h"

namespace atcav::stats {
namespace {

Matrix means_of(const Matrix& concept_rows, const Matrix& random_rows) {
  return concept_rows.colwise().mean() - random_rows.colwise().mean();
}

Vector random_mean(const TestingRows& rows) { return rows.random_rows.colwise().mean().transpose(); }

// By hand: δ = w = (2, 0), μ = (1, 1).
TEST(Eraser, MovesOneConceptToTheRandomMeanAlongItsDirection) {
  const Matrix direction{{2, 0}};
  const auto eraser = make_eraser(direction, direction, Vector{{1, 1}});
  ASSERT_TRUE(eraser);
  const MatrixF rows{{5, 7}, {1, -3}, {3, 0}};
  EXPECT_TRUE(shares(*eraser, rows).isApprox(Matrix{{2}, {0}, {1}}));
  EXPECT_TRUE(erase(*eraser, rows).isApprox(MatrixF{{1, 7}, {1, -3}, {1, 0}}));
}

// Oblique: w = (1, 1) reads, δ = (2, 0) is taken away.
TEST(Eraser, TakesAwayAlongTheDirectionWhatTheTellerReads) {
  const auto eraser = make_eraser(Matrix{{2, 0}}, Matrix{{1, 1}}, Vector{{0, 0}});
  ASSERT_TRUE(eraser);
  EXPECT_TRUE(erase(*eraser, MatrixF{{3, 4}}).isApprox(MatrixF{{-4, 4}}));
}

TEST(Eraser, GivesConceptsAShareOfOneAndRandomExamplesNoneOnAverage) {
  const TestingRows rows = testing_rows();
  const Matrix delta = means_of(rows.concept_rows, rows.random_rows);
  const Matrix ridge =
      fit_cav(rows.random_rows, rows.concept_rows, {CavMethod::kRidge, 0.1, 1, true}).direction.transpose();
  for (const Matrix& teller : {delta, ridge}) {
    const auto eraser = make_eraser(delta, teller, random_mean(rows));
    ASSERT_TRUE(eraser);
    // Rows are float: 1e-6.
    EXPECT_NEAR(shares(*eraser, rows.concept_rows.cast<float>()).mean(), 1, 1e-6);
    EXPECT_NEAR(shares(*eraser, rows.random_rows.cast<float>()).mean(), 0, 1e-6);
  }
}

// Two concepts at once: nothing of either is left, although their directions are not orthogonal.
TEST(Eraser, TakesSeveralConceptsAwayTogether) {
  const TestingRows rows = testing_rows();
  Matrix deltas(2, 4);
  deltas << means_of(rows.concept_rows, rows.random_rows), means_of(rows.gradients, rows.random_rows);
  const auto eraser = make_eraser(deltas, deltas, random_mean(rows));
  ASSERT_TRUE(eraser);
  for (const Matrix* set : {&rows.concept_rows, &rows.gradients}) {
    const Matrix left = erase(*eraser, set->cast<float>()).cast<double>();
    EXPECT_LT((left.colwise().mean().transpose() - random_mean(rows)).norm(), 1e-6);
  }
  EXPECT_TRUE((eraser->readers * eraser->directions.transpose()).isApprox(Matrix::Identity(2, 2), 1e-12));
}

TEST(Eraser, IsNoneWhereConceptsCannotBeTold) {
  const Vector mean = Vector::Zero(3);
  EXPECT_FALSE(make_eraser(Matrix{{0, 0, 0}}, Matrix{{1, 0, 0}}, mean));
  EXPECT_FALSE(make_eraser(Matrix{{1, 0, 0}}, Matrix{{0, 1, 0}}, mean));
  const Matrix copies{{1, 2, 3}, {2, 4, 6}};
  EXPECT_FALSE(make_eraser(copies, copies, mean));
}

TEST(Eraser, RefusesSizesThatDoNotFit) {
  EXPECT_THROW(make_eraser(Matrix{{1, 0}}, Matrix{{1, 0, 0}}, Vector::Zero(2)), std::invalid_argument);
  EXPECT_THROW(make_eraser(Matrix{{1, 0}}, Matrix{{1, 0}}, Vector::Zero(3)), std::invalid_argument);
  const auto eraser = make_eraser(Matrix{{1, 0}}, Matrix{{1, 0}}, Vector::Zero(2));
  EXPECT_THROW(shares(*eraser, MatrixF::Zero(1, 3)), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::stats
