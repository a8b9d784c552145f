#include "report/stability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testing_results.h"

namespace atcav::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(StabilityTable, HasARowForEachLayer) {
  std::vector<Result> results = {example_result("striped", "early"), example_result("dotted", "late")};
  results[1].examples->stability->cosine = 0.456;
  EXPECT_THAT(stability_table(results),
              ElementsAre(ElementsAre("layer", "striped", "dotted"), ElementsAre("early", "0.90", ""),
                          ElementsAre("late", "", "0.46")));
  EXPECT_THAT(stability_html(results), HasSubstr("<th scope=\"row\">late</th><td></td><td"));
}

TEST(StabilityTable, IsLeftOutOfOneLayerAndOfGivenDirections) {
  EXPECT_THAT(stability_table({example_result("striped"), example_result("dotted")}), IsEmpty());
  EXPECT_THAT(stability_table({example_given("a", "early"), example_given("a", "late")}), IsEmpty());
}

}  // namespace
}  // namespace atcav::report
