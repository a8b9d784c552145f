#include "pipeline/row_groups.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_folder.h"

namespace atcav {
namespace {

TEST(GroupsBy, TakesTheFirstCapture) {
  const std::vector<std::string> names = {"a_1.png", "a_2.png", "b_1.png"};
  EXPECT_EQ(groups_by("(.*)_", names, "random"), (std::vector<std::string>{"a", "a", "b"}));
  EXPECT_EQ(groups_by("^.", names, "random"), (std::vector<std::string>{"a", "a", "b"}));
}

std::string refusal(const std::string& expression, const std::vector<std::string>& names) {
  try {
    groups_by(expression, names, "random");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(GroupsBy, SaysWhatDoesNotMatch) {
  EXPECT_EQ(refusal("(", {"a"}), "[groups] '(' is not a regular expression");
  EXPECT_EQ(refusal("x", {"x", "a.png"}), "[groups] 'x' does not match 'a.png' of random");
  EXPECT_EQ(refusal("x", {}), "[groups] 'x' needs file names, which random does not have");
}

// Names that backtracking would need years or all of the stack for.
TEST(GroupsBy, TakesLittleTimeAndStack) {
  EXPECT_EQ(groups_by("^((a|aa)+_(b+)*$|.)", {std::string(60, 'a') + "c"}, "random"),
            std::vector<std::string>{"a"});
  EXPECT_EQ(groups_by("(.).*c", {std::string(200'000, 'a') + "c"}, "random"), std::vector<std::string>{"a"});
  EXPECT_EQ(refusal(std::string(20'000, '('), {"a"}),
            "[groups] length of the regular expression is 20000, must be at most 1000");
  EXPECT_EQ(refusal("((((a{99}){99}){99}){99})", {"a"}),
            "[groups] '((((a{99}){99}){99}){99})' is not a regular expression");
  EXPECT_EQ(refusal("(.)\\1", {"aa"}), "[groups] '(.)\\1' refers back to a capture, which is not supported");
}

TEST(GroupsBy, NeedsAName) {
  EXPECT_EQ(refusal("_(.*)", {"a_1", "b_"}), "[groups] '_(.*)' takes no group's name from 'b_' of random");
}

TEST(ClassGroups, AreLinesOrAnExpression) {
  testing_support::TempFolder folder;
  std::ofstream(folder.file("groups.txt")) << "one\none\ntwo\n";
  Config config;
  config.class_groups = {{"zebra", folder.file("groups.txt")}, {"", "(.)"}};
  EXPECT_EQ(class_groups(config, "zebra", {}, 3), (std::vector<std::string>{"one", "one", "two"}));
  EXPECT_EQ(class_groups(config, "horse", {"ab", "ac"}, 2), (std::vector<std::string>{"a", "a"}));
  EXPECT_THROW(class_groups(config, "zebra", {}, 2), std::invalid_argument);
  std::ofstream(folder.file("groups.txt")) << "one\n\ntwo\n";
  EXPECT_THROW(class_groups(config, "zebra", {}, 3), std::invalid_argument);
  config.class_groups = {{"", std::string(5000, 'x')}};  // no file's name
  EXPECT_THROW(class_groups(config, "zebra", {"x"}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace atcav
