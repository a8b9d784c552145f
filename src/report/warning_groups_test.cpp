#include <gtest/gtest.h>

#include "atcav/words.h"
#include "report/testing_results.h"

namespace atcav::report {
namespace {

std::vector<Result> warned(const std::vector<std::string>& concepts, const std::vector<std::string>& layers) {
  std::vector<Result> results;
  for (const std::string& layer : layers) {
    for (const std::string& name : concepts) {
      results.push_back(example_result(name, layer));
      results.back().warnings = {"saturated: all 60 inputs"};
    }
  }
  return results;
}

TEST(WarningGroups, NamesUpToThreeResultsAndCountsMore) {
  std::vector<WarningGroup> groups = warning_groups(warned({"striped", "dotted"}, {"layer3"}));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].places, "striped / zebra, dotted / zebra");
  EXPECT_EQ(groups[0].text, "saturated: all 60 inputs");
  groups = warning_groups(warned({"a", "b", "c", "d"}, {"layer3", "layer4"}));
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].places, "8 results (4 concepts; zebra; layer3 and layer4)");
  EXPECT_EQ(groups[0].first, "a / zebra @ layer3");
}

TEST(WarningGroups, WordsThatDifferStayApartAndNumbersDoNot) {
  std::vector<Result> results = warned({"a", "b", "c"}, {"layer3"});
  results[1].warnings = {"saturated: none of the 60 inputs", "few examples"};
  results[2].warnings = {"saturated: all 5.25 inputs"};
  const std::vector<WarningGroup> groups = warning_groups(results);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].places, "a / zebra, c / zebra");
  EXPECT_FALSE(groups[0].equal);
  EXPECT_TRUE(groups[1].equal);
  EXPECT_EQ(groups[2].text, "few examples");
  EXPECT_TRUE(warning_groups({}).empty());
}

}  // namespace
}  // namespace atcav::report
