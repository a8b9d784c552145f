#include "fit/held_out.h"

#include <gtest/gtest.h>

#include "pass/testing_sources.h"

namespace atcav::fit {
namespace {

// By definition: the mean of the rows of other folds, row by row.
Eigen::RowVectorXd mean_without(const MatrixF& rows, Index fold, Index folds) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
  double count = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    if (i % folds == fold) continue;
    sum += rows.row(i).cast<double>();
    count += 1;
  }
  return sum / count;
}

TEST(HeldOutScores, AgreeWithTheDefinition) {
  const Index folds = 4;
  const std::vector<MatrixF> sets = {pass::normal_rows(2, 450, 60, 10), pass::normal_rows(3, 12, 60, 9),
                                     pass::normal_rows(4, 30, 60, 10.3)};
  pass::MatrixSource random("random", sets[0]);
  pass::MatrixSource other("concept 'other'", sets[1]);
  pass::MatrixSource positive("concept", sets[2]);
  const pass::Pass pass =
      pass::run_pass(pass::normal_rows(1, 2, 60), {&random, &other, &positive}, {.folds = folds});
  const pass::HeldOutScores scores = held_out_scores(pass, 2);

  const auto check = [&](const pass::SetScores& set, const MatrixF& rows, const std::vector<Index>& scored) {
    ASSERT_EQ(set.scores.size(), static_cast<Index>(scored.size()));
    for (std::size_t i = 0; i < scored.size(); ++i) {
      const Index fold = scored[i] % folds;
      EXPECT_EQ(set.folds[i], fold);
      const Eigen::RowVectorXd r = mean_without(sets[0], fold, folds);
      const Eigen::RowVectorXd c = mean_without(sets[2], fold, folds);
      const double expected = (c - r).dot(rows.row(scored[i]).cast<double>() - (c + r) / 2);
      EXPECT_NEAR(set.scores(static_cast<Index>(i)), expected, 1e-11);
    }
  };
  check(scores.random, sets[0], pass.sets[0].held_out.rows);
  check(scores.concept_rows, sets[2], pass.sets[2].held_out.rows);
  EXPECT_EQ(scores.random.scores.size(), 152);  // every third group of four
  EXPECT_EQ(scores.concept_rows.scores.size(), 30);
}

// Same law for both sets: a score fitted without the row must be at chance. One fitted with it is not.
TEST(HeldOutScores, AreNearHalfRightWhenThereIsNothingToLearn) {
  pass::MatrixSource random("random", pass::normal_rows(5, 200, 500));
  pass::MatrixSource positive("concept", pass::normal_rows(6, 200, 500));
  const pass::HeldOutScores scores =
      held_out_scores(pass::run_pass(pass::normal_rows(1, 1, 500), {&random, &positive}, {}), 1);
  const double right = static_cast<double>((scores.random.scores.array() < 0).count() +
                                           (scores.concept_rows.scores.array() > 0).count()) /
                       400;
  EXPECT_NEAR(right, 0.5, 0.1);  // four standard errors
}

TEST(HeldOutScores, WantSetsThatExist) {
  pass::MatrixSource random("random", pass::normal_rows(5, 20, 5));
  const pass::Pass pass = pass::run_pass(pass::normal_rows(1, 1, 5), {&random}, {});
  EXPECT_THROW(held_out_scores(pass, 1), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::fit
