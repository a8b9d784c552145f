#include "stats/refit_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "atcav/random.h"

namespace atcav::stats {
namespace {

// score() of each row is written apart; equal to the last bit, as results must not depend on which is used.
void expect_scores_of_rows(const Matrix& refits, const ScoreRule& rule) {
  const Vector found = RefitScores(refits).of(rule);
  ASSERT_EQ(found.size(), refits.rows());
  for (Index k = 0; k < found.size(); ++k)
    EXPECT_EQ(found(k), score(refits.row(k).transpose(), rule)) << "row " << k << " of " << refits.cols();
}

TEST(RefitScores, AreTheScoresOfEachRow) {
  for (const Index inputs : {1, 7, 8, 50, 129}) {
    const Matrix refits = Stream(inputs).normal_matrix(300, inputs);
    for (const ScoreRule& rule :
         {alpha_rule(0.1), alpha_rule(3), alpha_rule(100), effective_rule(), effective_rule(3),
          indicator_rule(), ScoreRule{ScoreRule::Scale::kOne, 2, {}},
          analytic_rule(Vector::LinSpaced(inputs, 0.5, 2))})
      expect_scores_of_rows(refits, rule);
  }
}

TEST(RefitScores, AreRoughlyKnownAtOnce) {
  for (const Index inputs : {1, 16, 50}) {
    const Matrix refits = Stream(inputs).normal_matrix(500, inputs);
    const RefitScores scores(refits);
    for (const double alpha : {0.1, 0.5, 1.0, 2.0, 4.0, 10.0, 100.0, 1e9}) {
      const ScoreRule rule = alpha_rule(alpha);
      EXPECT_LT((scores.roughly(rule) - scores.of(rule)).cwiseAbs().maxCoeff(), RefitScores::kRoughError);
    }
    if (inputs > 1) {
      EXPECT_LT((scores.roughly(effective_rule()) - scores.of(effective_rule())).cwiseAbs().maxCoeff(),
                RefitScores::kRoughError);
    }
    EXPECT_EQ(scores.roughly(indicator_rule()).size(), 0);
    EXPECT_EQ(scores.roughly(analytic_rule(Vector::Ones(inputs))).size(), 0);
  }
}

TEST(RefitScores, FlatOnesHaveABoundOnTheirSpread) {
  const Matrix refits = Stream(7).normal_matrix(400, 50).array() + 0.3;
  const RefitScores scores(refits);
  for (const double alpha : {0.1, 0.3, 1.0, 3.0, 10.0}) {
    const Vector found = scores.of(alpha_rule(alpha));
    const double sd = std::sqrt((found.array() - found.mean()).square().sum() / 399);
    EXPECT_GT(scores.flat_sd(alpha), sd) << alpha;
    if (alpha < 0.5) {
      EXPECT_LT(scores.flat_sd(alpha), 1.5 * sd + 1e-3) << alpha;
    }
  }
}

TEST(RefitScores, TakeRowsWithoutASpread) {
  Matrix refits = Stream(1).normal_matrix(5, 12);
  refits.row(2).setZero();
  refits.row(3).setConstant(2);
  for (const ScoreRule& rule : {alpha_rule(3), effective_rule(), indicator_rule()})
    expect_scores_of_rows(refits, rule);
}

}  // namespace
}  // namespace atcav::stats
