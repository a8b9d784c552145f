#include "atcav/report/given_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "atcav/report/testing_given.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(GivenTable, ScoresIntervalsAndWhatTheyHold) {
  GivenScore given = example_given();
  given.warnings = {"careful"};
  const std::string text = given_table({given}, {});
  EXPECT_THAT(text, HasSubstr("direction"));
  EXPECT_THAT(text, HasSubstr("α-TCAV (1) [inputs]"));
  EXPECT_THAT(text,
              HasSubstr("striped    zebra @ layer3  0.610 [0.550, 0.670]  0.75 [0.26, 1.00]  4       1"));
  EXPECT_THAT(text, HasSubstr("! striped / zebra @ layer3: careful\n"));
  EXPECT_THAT(text, HasSubstr("95 % interval of the error from having drawn these inputs"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(given_table({}, {}), "no results\n");
}

TEST(GivenTable, LongNamesFitAndCannotPaint) {
  GivenScore given =
      example_given("a concept with a very long name \x1b[31m", "some/deep/layer/name");
  given.warnings.clear();
  std::istringstream lines(given_table({given}, {}));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 106U) << line;  // a few bytes more than columns: α, …
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  }
}

TEST(GivenTable, ColoursWhereTheIntervalLeavesOutAHalf) {
  GivenScore against = example_given();
  against.intervals["1"].interval = {0.2, 0.4};
  GivenScore open = example_given();
  open.intervals["1"].interval = {0.4, 0.6};
  const std::string text = given_table({example_given(), against, open}, {0.95, true});
  EXPECT_THAT(text, HasSubstr("\x1b[32mstriped"));
  EXPECT_THAT(text, HasSubstr("\x1b[31mstriped"));
  EXPECT_THAT(text, HasSubstr("\nstriped"));
}

}  // namespace
}  // namespace atcav::report
