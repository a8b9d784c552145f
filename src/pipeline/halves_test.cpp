#include "pipeline/halves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace atcav {
namespace {

TEST(Halves, EachRowIsInOneOfThem) {
  const Halves halves = halve("class 'zebra'", {}, 21, 3);
  EXPECT_EQ(halves.finds.size(), 11U);
  std::set<Index> all(halves.finds.begin(), halves.finds.end());
  all.insert(halves.tests.begin(), halves.tests.end());
  EXPECT_EQ(all.size(), 21U);
  EXPECT_TRUE(std::ranges::is_sorted(halves.finds));
  EXPECT_NE(halves.finds, halve("class 'zebra'", {}, 21, 4).finds);
  EXPECT_NE(halves.finds, halve("random", {}, 21, 3).finds);
}

TEST(Halves, GroupsStayTogether) {
  std::vector<std::string> groups;
  for (Index row = 0; row < 30; ++row) groups.push_back("photo " + std::to_string(row % 10));
  const Halves halves = halve("class 'zebra'", groups, 30, 1);
  std::set<std::string> finding;
  for (const Index row : halves.finds) finding.insert(groups[row]);
  EXPECT_EQ(finding.size(), 5U);
  for (const Index row : halves.tests) EXPECT_FALSE(finding.contains(groups[row]));
}

TEST(Halves, RefusesTooFew) {
  EXPECT_THROW(halve("random", {}, 7, 0), std::invalid_argument);
  EXPECT_THROW(halve("random", std::vector<std::string>(20, "one"), 20, 0), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
