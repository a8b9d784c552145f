#include "atcav/report/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atcav::report {
namespace {

TEST(Shortened, CountsCharactersAndNotBytes) {
  EXPECT_EQ(shortened("größe", 5), "größe");
  EXPECT_EQ(shortened("größer", 5), "größ…");
  EXPECT_EQ(shortened("striped", 3), "st…");
}

TEST(Aligned, ColumnsAsWideAsTheirWidestCell) {
  EXPECT_THAT(aligned({{"α", "score", ""}, {"long", "1", "!"}}),
              testing::ElementsAre("α     score", "long  1      !"));
}

TEST(Painted, OnlyWhenWanted) {
  EXPECT_EQ(painted("a", Tone::kPositive, false), "a");
  EXPECT_EQ(painted("a", Tone::kPlain, true), "a");
  EXPECT_EQ(painted("a", Tone::kPositive, true), "\x1b[32ma\x1b[0m");
}

}  // namespace
}  // namespace atcav::report
