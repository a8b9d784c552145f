#include "atcav/run/score_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/base/random.h"

namespace atcav {
namespace {

using span::MatrixSource;
using testing::HasSubstr;
using testing::ThrowsMessage;

MatrixF draw(std::uint64_t seed, Index rows, Index columns) {
  return Stream(seed).normal_matrix(rows, columns).cast<float>();
}

struct Problem {
  MatrixF random_rows = draw(1, 30, 5);
  MatrixF concept_rows = draw(2, 20, 5);
  MatrixF zebra_rows = draw(3, 8, 5);
  MatrixSource random{"random", random_rows};
  MatrixSource striped{"concept 'striped'", concept_rows};
  MatrixSource zebra{"gradients 'zebra'", zebra_rows};
  MatrixSource horse{"gradients 'horse'", draw(4, 6, 5)};
  Sources sources{{{"striped", &striped}}, &random, {{"zebra", &zebra}, {"horse", &horse}}, "layer3"};
};

// S = Z w with w the difference of means. Sums of 30 floats in double: rounding far below 1e-9.
TEST(ScoreSources, SensitivitiesAreGradientsTimesDirection) {
  const Problem problem;
  const RunResult scored = score_sources(problem.sources, {});
  ASSERT_EQ(scored.results.size(), 2U);
  EXPECT_EQ(scored.results[1].class_name, "horse");
  EXPECT_EQ(scored.results[1].n_class, 6);
  EXPECT_EQ(scored.results[0].layer, "layer3");
  const Vector w = (problem.concept_rows.cast<double>().colwise().mean() -
                    problem.random_rows.cast<double>().colwise().mean())
                       .transpose();
  const Vector s = problem.zebra_rows.cast<double>() * w;
  for (Index j = 0; j < s.size(); ++j)
    EXPECT_NEAR(scored.results[0].sensitivities[static_cast<std::size_t>(j)], s[j], 1e-9);
  EXPECT_TRUE(scored.inputs.empty());
}

TEST(ScoreSources, SaysWhatDoesNotFit) {
  Problem problem;
  MatrixSource wide("concept 'wide'", draw(5, 4, 6));
  problem.sources.concepts.push_back({"wide", &wide});
  EXPECT_THAT([&] { score_sources(problem.sources, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("concept 'wide' has 6 columns but random")));
  problem.sources.concepts.back() = {"striped", &problem.striped};
  EXPECT_THAT([&] { score_sources(problem.sources, {}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("'striped' is used twice")));
  problem.sources.concepts.clear();
  EXPECT_THROW(score_sources(problem.sources, {}), std::invalid_argument);
}

TEST(ScoreSources, EqualInputsAreNoticed) {
  const Problem problem;
  RunResult scored = score_sources(problem.sources, {});
  scored.inputs = {{"random", "", "ab", {30, 5}}, {"concept 'striped'", "", "ab", {30, 5}}};
  warn_of_equal_inputs(scored);
  EXPECT_THAT(scored.results[0].warnings,
              testing::Contains("the concept and the random examples are the same array"));
  scored = score_sources(problem.sources, {});
  scored.inputs = {{"random", "", "ab", {30, 5}}, {"concept 'striped'", "", "cd", {20, 5}}};
  warn_of_equal_inputs(scored);
  EXPECT_THAT(scored.results[0].warnings, testing::Not(testing::Contains(HasSubstr("same array"))));
}

}  // namespace
}  // namespace atcav
