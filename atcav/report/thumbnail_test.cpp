#include "atcav/report/thumbnail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "atcav/report/testing_results.h"

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

TEST(ShownInputs, OfTheDetailedResultsOnly) {
  std::vector<Result> results(kDetailed, example_result());
  results.push_back(example_result());
  results.back().class_name = "late";
  EXPECT_TRUE(shown_inputs(results, "late").empty());
}

}  // namespace
}  // namespace atcav::report
