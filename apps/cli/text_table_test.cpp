#include "apps/cli/text_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace atcav::cli {
namespace {

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

}  // namespace
}  // namespace atcav::cli
