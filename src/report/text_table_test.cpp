#include "report/text_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::report {
namespace {

using testing::ElementsAre;

TEST(Shortened, CountsCharactersAndNotBytes) {
  EXPECT_THAT(shortened({"größe", "größer", "striped"}, 5), ElementsAre("größe", "größ…", "stri…"));
  EXPECT_THAT(shortened({"striped", "striped"}, 3), ElementsAre("st…", "st…"));
  EXPECT_THAT(shortened({}, 3), ElementsAre());
}

TEST(Shortened, TextsThatDifferStayDifferent) {
  EXPECT_THAT(shortened({"features.17.conv", "features.18.conv"}, 10),
              ElementsAre("fea…7.conv", "fea…8.conv"));
  EXPECT_THAT(shortened({"block3", "block4"}, 3), ElementsAre("b…3", "b…4"));
  EXPECT_THAT(shortened({"aXc", "aYc", "bXc", "bXd"}, 2), ElementsAre("aXc", "aYc", "bXc", "bXd"));
}

TEST(Wrapped, BreaksAtSpacesAndCutsWhatHasNone) {
  EXPECT_THAT(wrapped("one two", 7), ElementsAre("one two"));
  EXPECT_THAT(wrapped("one two three", 7), ElementsAre("one two", "  three"));
  EXPECT_THAT(wrapped("ümläütüber", 5), ElementsAre("ümläü", "  tüb", "  er"));
  EXPECT_THAT(wrapped("", 5), ElementsAre(""));
}

TEST(Aligned, ColumnsAsWideAsTheirWidestCell) {
  EXPECT_THAT(aligned({{"α", "score", ""}, {"long", "1", "!"}}),
              ElementsAre("α     score", "long  1      !"));
  EXPECT_THAT(aligned({{"α", "score"}, {"long", "1"}}, true), ElementsAre("α     score", "long      1"));
  EXPECT_THROW(aligned({{"a", "b"}, {"x"}}), std::invalid_argument);
}

TEST(FormatTable, AlignsByCharactersNotBytes) {
  const TextTable table{{"score", "α", "variance"}, {{"TCAV", "-", "0.25"}, {"α-TCAV", "15.96", "0.1"}}};
  EXPECT_EQ(format_table(table),
            "score       α  variance\n"
            "-----------------------\n"
            "TCAV        -      0.25\n"
            "α-TCAV  15.96       0.1\n");
}

TEST(FormatTable, NoTrailingBlanksAndNoRows) {
  EXPECT_EQ(format_table({{"a", "note"}, {{"x", ""}}}), "a  note\n-------\nx\n");
  EXPECT_EQ(format_table({{"a"}, {}}), "a\n-\n");
  EXPECT_THROW(format_table({{"a", "b"}, {{"x"}}}), std::invalid_argument);
}

TEST(Painted, OnlyWhenWanted) {
  EXPECT_EQ(painted("a", Tone::kPositive, false), "a");
  EXPECT_EQ(painted("a", Tone::kPlain, true), "a");
  EXPECT_EQ(painted("a", Tone::kPositive, true), "\x1b[32ma\x1b[0m");
}

}  // namespace
}  // namespace atcav::report
