#include "pipeline/score_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "atcav/random.h"
#include "atcav/run.h"

namespace atcav {
namespace {

using testing::Contains;
using testing::EndsWith;

constexpr Index kRows = 400;

// Labels 0 and 1 go together; gradients follow the first alone. Label 2 is a number of no use.
struct Problem {
  MatrixF rows = MatrixF(kRows, 30);
  MatrixF gradients = MatrixF(12, 30);
  LabelTable labels;

  Problem() {
    Stream stream(1);
    labels.columns = {"striped", "red", "size"};
    labels.values = Matrix(kRows, 3);
    rows = stream.normal_matrix(kRows, 30).cast<float>();
    for (Index i = 0; i < kRows; ++i) {
      const double a = stream.normal();
      const double b = 0.7 * a + 0.71 * stream.normal();
      labels.values.row(i) << (a < -0.5 ? 1 : 0), (b < -0.5 ? 1 : 0), 5 * stream.normal();
      for (Index k = 0; k < 2; ++k) rows(i, k) += static_cast<float>(3 * labels.values(i, k));
    }
    gradients = (0.3 * stream.normal_matrix(12, 30)).cast<float>();
    gradients.leftCols(2).setZero();
    gradients.col(0).setOnes();
  }

  RunResult run(const Config& config = {}) const {
    return score({.gradients = {{"zebra", gradients}}, .pool = LabelledRows{rows, labels}}, config);
  }
};

TEST(ScoreLabels, HoldsTheOthersFixed) {
  const Problem problem;
  const RunResult found = problem.run();
  ASSERT_EQ(found.results.size(), 3U);
  const Result& striped = found.results[0];
  const Result& red = found.results[1];
  EXPECT_EQ(red.concept_name, "red");
  EXPECT_LT(red.examples->significance.bonferroni, 0.001);  // because red rows are striped
  EXPECT_GT(red.joint->bonferroni, 0.05);
  EXPECT_LT(striped.joint->bonferroni, 0.001);
  EXPECT_NEAR(striped.joint->effect.logits, 3, 3 * striped.joint->effect.error_examples);
  EXPECT_GT(red.joint->inflation, 1.2);
  EXPECT_TRUE(found.results[2].label->numbers);
  EXPECT_NEAR(found.results[2].label->sd, 5, 0.5);
}

TEST(ScoreLabels, OneLabelIsAConceptAgainstTheRest) {
  Problem problem;
  problem.labels.columns = {"striped"};
  problem.labels.values = Matrix(problem.labels.values.leftCols(1));
  std::vector<Index> with;
  std::vector<Index> without;
  for (Index i = 0; i < kRows; ++i) (problem.labels.values(i, 0) == 1 ? with : without).push_back(i);
  const MatrixF concept_rows = problem.rows(with, Eigen::all);
  const MatrixF random = problem.rows(without, Eigen::all);
  const Result folder =
      score({{"striped", concept_rows}}, random, {{"zebra", problem.gradients}}, {}).results[0];
  const Result label = problem.run().results[0];
  constexpr double kRounding = 1e-10;
  for (const stats::Effect* effect : {&label.effect, &label.joint->effect}) {
    EXPECT_NEAR(effect->logits, folder.effect.logits, kRounding);
    EXPECT_NEAR(effect->interval.low, folder.effect.interval.low, kRounding);
    EXPECT_NEAR(*effect->d, *folder.effect.d, kRounding);
    EXPECT_NEAR(effect->d_interval.high, folder.effect.d_interval.high, kRounding);
    EXPECT_NEAR(effect->degrees, folder.effect.degrees, 1e-8);
  }
  for (const char* key : {"1", "star", "dagger"}) {
    EXPECT_NEAR(label.alpha_tcav.at(key), folder.alpha_tcav.at(key), kRounding);
    EXPECT_NEAR(label.intervals.at(key).standard_error, folder.intervals.at(key).standard_error, kRounding);
    // Resamples of folders may widen theirs where gradients agree (fit/shared_sign.h).
    EXPECT_GE(label.intervals.at(key).interval.low, folder.intervals.at(key).interval.low - kRounding);
  }
  EXPECT_EQ(label.examples->n_concept, folder.examples->n_concept);
}

TEST(ScoreLabels, GroupsWidenTheErrors) {
  Problem problem;
  for (Index i = 0; i < kRows; i += 2) {  // each row twice
    problem.rows.row(i + 1) = problem.rows.row(i);
    problem.labels.values.row(i + 1) = problem.labels.values.row(i);
  }
  const Result plain = problem.run().results[1];
  for (Index i = 0; i < kRows; ++i) problem.labels.groups.push_back(std::to_string(i / 2));
  const Result grouped = problem.run().results[1];
  // Twice the variance, but for leverages and G/(G-1).
  EXPECT_NEAR(grouped.effect.error_examples / plain.effect.error_examples, std::sqrt(2), 0.02);
  EXPECT_NEAR(grouped.joint->effect.error_examples / plain.joint->effect.error_examples, std::sqrt(2), 0.02);
  EXPECT_EQ(grouped.groups->examples, 200);
  EXPECT_FALSE(plain.groups.has_value());
}

std::string refusal(const Problem& problem) {
  try {
    problem.run();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// A single example that alone decides a label has no residual, and its noise is not seen.
TEST(ScoreLabels, WhatOneExampleDecidesHasNoJointEffect) {
  constexpr double kEmpty = std::numeric_limits<double>::quiet_NaN();
  Problem problem;
  Matrix& values = problem.labels.values;
  Index ones = 0;
  for (Index i = 0; i < kRows; ++i) {
    if (values(i, 1) == 1 && ones++ > 0) values(i, 0) = kEmpty;  // one row is left that is red and has all
  }
  const RunResult found = problem.run();
  EXPECT_TRUE(found.results[0].joint.has_value());
  EXPECT_FALSE(found.results[1].joint.has_value());
  const std::string rows = std::to_string(kRows - ones + 1);
  EXPECT_THAT(found.results[1].warnings,
              Contains("no joint effect: in the " + rows +
                       " rows that have all labels one example alone decides it, whose noise is not known"));
  problem = Problem();
  problem.labels.values(7, 2) = 1e9;
  EXPECT_EQ(refusal(problem),
            "[labels] 'size' is far from all others in one row, which alone decides its effect");
}

TEST(ScoreLabels, WhatOneGroupDecidesHasNoJointEffect) {
  constexpr double kEmpty = std::numeric_limits<double>::quiet_NaN();
  Problem problem;
  for (Index i = 0; i < kRows; ++i) {
    problem.labels.groups.push_back("group " + std::to_string(i / 40));
    if (i >= 40 && problem.labels.values(i, 1) == 1) problem.labels.values(i, 0) = kEmpty;
  }
  const RunResult found = problem.run();
  EXPECT_TRUE(found.results[0].joint.has_value());
  EXPECT_FALSE(found.results[1].joint.has_value());
}

TEST(ScoreLabels, LabelsThatDependOnEachOtherWhereAllAreKnownHaveNoJointEffect) {
  Problem problem;
  Matrix& values = problem.labels.values;
  for (Index i = 0; i < kRows; ++i) {
    if (values(i, 0) == 0) values(i, 1) = std::numeric_limits<double>::quiet_NaN();
  }
  const RunResult found = problem.run();
  EXPECT_FALSE(found.results[0].joint.has_value());
  EXPECT_THAT(
      found.results[0].warnings,
      Contains(EndsWith("rows that have all labels 'striped' is constant: there is nothing to compare")));
  values.col(1) = values.col(0);
  EXPECT_EQ(refusal(problem), "[labels] 'red' is determined by 'striped': leave one of them out");
}

// Numbers are in units of their own standard deviation.
TEST(ScoreLabels, UnitsOfNumbersChangeNothing) {
  const RunResult wanted = Problem().run();
  for (const double unit : {1e-290, 1e-200, 1e-3, 1e200, 1e305}) {
    Problem problem;
    problem.labels.values.col(2) *= unit;
    const RunResult found = problem.run();
    constexpr double kTolerance = 1e-9;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(found.results[k].effect.logits, wanted.results[k].effect.logits, kTolerance) << unit;
      EXPECT_NEAR(found.results[k].joint->effect.interval.high, wanted.results[k].joint->effect.interval.high,
                  kTolerance)
          << unit;
    }
  }
}

// A label by itself and a class by itself say what they say among others: nothing of what is shared, in
// groups of rows, with empty cells, of many inputs or of one, is another's.
TEST(ScoreLabels, ManyAreOneAfterAnother) {
  constexpr double kEmpty = std::numeric_limits<double>::quiet_NaN();
  for (const bool grouped : {false, true}) {
    for (const bool cells : {false, true}) {
      Problem problem;
      Stream stream(grouped ? 2 : 3);
      for (Index i = 0; i < kRows; ++i) {
        if (grouped) problem.labels.groups.push_back(std::to_string(i / 3));
        if (cells) problem.labels.values(i, stream.below(3)) = stream.uniform() < 0.1 ? kEmpty : 1;
      }
      const std::vector<NamedRows> classes = {{"zebra", problem.gradients},
                                              {"one", problem.gradients.topRows(1)},
                                              {"few", problem.gradients.bottomRows(5)}};
      const auto run = [](const std::vector<NamedRows>& gradients, const LabelTable& labels,
                          const MatrixF& rows) {
        return score({.gradients = gradients, .pool = LabelledRows{rows, labels}}, {}).results;
      };
      const std::vector<Result> all = run(classes, problem.labels, problem.rows);
      ASSERT_EQ(all.size(), 9U);
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
          LabelTable one = problem.labels;
          one.columns = {problem.labels.columns[c]};
          one.values = Matrix(problem.labels.values.col(static_cast<Index>(c)));
          const Result wanted = run({classes[k]}, one, problem.rows).front();
          const Result& found = all[3 * k + c];
          ASSERT_EQ(found.concept_name, wanted.concept_name);
          ASSERT_EQ(found.class_name, wanted.class_name);
          // Products of one class and of three may be added up in another order.
          const auto expect_same = [](double one, double other) {
            EXPECT_NEAR(one, other, 1e-12 * (1 + std::abs(other)));
          };
          ASSERT_EQ(found.sensitivities.size(), wanted.sensitivities.size());
          for (std::size_t j = 0; j < wanted.sensitivities.size(); ++j) {
            expect_same(found.sensitivities[j], wanted.sensitivities[j]);
            expect_same(found.examples->sensitivity_errors[j], wanted.examples->sensitivity_errors[j]);
          }
          expect_same(found.effect.p, wanted.effect.p);
          expect_same(found.effect.d_interval.low, wanted.effect.d_interval.low);
          expect_same(found.effect.degrees, wanted.effect.degrees);
          for (const auto& [key, interval] : wanted.intervals)
            expect_same(found.intervals.at(key).interval.high, interval.interval.high);
          for (std::size_t i = 0; i < wanted.examples->profile_intervals.size(); ++i)
            expect_same(found.examples->profile_intervals[i].low, wanted.examples->profile_intervals[i].low);
          EXPECT_EQ(found.negatives.has_value(), wanted.negatives.has_value());
        }
      }
    }
  }
}

TEST(ScoreLabels, SameBytesForAnyThreads) {
  const Problem problem;
  Config one;
  one.options.threads = 1;
  Config two;
  two.options.threads = 2;
  const RunResult a = problem.run(one);
  const RunResult b = problem.run(two);
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    EXPECT_EQ(a.results[i].joint->effect.p, b.results[i].joint->effect.p);
    EXPECT_EQ(a.results[i].interval().low, b.results[i].interval().low);
  }
}

}  // namespace
}  // namespace atcav
