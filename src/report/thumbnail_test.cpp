#include "report/thumbnail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testing_results.h"

namespace atcav::report {
namespace {

using testing::ElementsAre;

TEST(ShownInputs, AreTheExtremesOfAnyResult) {
  Result result = example_result();
  result.sensitivities.clear();
  for (int i = 0; i < 20; ++i) result.sensitivities.push_back(i);
  EXPECT_THAT(shown_inputs({result}, "zebra"), ElementsAre(0, 1, 2, 3, 4, 5, 14, 15, 16, 17, 18, 19));
  EXPECT_THAT(shown_inputs({example_result()}, "zebra"), ElementsAre(0, 1, 2, 3)) << "of few all";
  EXPECT_TRUE(shown_inputs({result}, "other").empty());
}

// example_result has the threshold 0.75.
TEST(OnWrongSide, IsBelowTheThresholdTheFurthestFirst) {
  Result result = example_result();
  EXPECT_TRUE(on_wrong_side(result).empty()) << "rows are not known";
  result.examples->accuracy.concept_scores = {1, 0.7, 3, -2};
  result.examples->accuracy.concept_rows = {0, 4, 8, 12};
  EXPECT_THAT(on_wrong_side(result), ElementsAre(12, 4));
  EXPECT_THAT(shown_examples({result}, "striped", 100), ElementsAre(0, 1, 2, 3, 4, 5, 12));
  EXPECT_THAT(shown_examples({result}, "dotted", 2), ElementsAre(0, 1));
}

TEST(ShownInputs, OfTheDetailedResultsOnly) {
  std::vector<Result> results(kDetailed, example_result());
  results.push_back(example_result());
  results.back().class_name = "late";
  EXPECT_TRUE(shown_inputs(results, "late").empty()) << "the first of equals";
  results.back().effect.d = 3;
  EXPECT_FALSE(shown_inputs(results, "late").empty()) << "the largest";
  results.back().effect.d_interval = {-1, 7};
  EXPECT_TRUE(shown_inputs(results, "late").empty()) << "which may be none";
}

}  // namespace
}  // namespace atcav::report
