#include "atcav/report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

Result example(const std::string& name) {
  Result result;
  result.concept_name = name;
  result.class_name = "zebra";
  result.headline = "dagger";
  result.alpha_tcav["dagger"] = 0.7;
  result.intervals["dagger"] = {{0.6, 0.8}, "delta", 0.05};
  result.intervals["tcav"] = {{0.5, 0.9}, "bootstrap", 0.1};
  result.significance.bonferroni = 0.0004;
  return result;
}

TEST(ResultsTable, ShowsScoreIntervalAndP) {
  const std::string text = results_table({example("striped")}, {});
  EXPECT_THAT(text, HasSubstr("striped"));
  EXPECT_THAT(text, HasSubstr("0.700 [0.600, 0.800]"));
  EXPECT_THAT(text, HasSubstr("<.001"));
  EXPECT_THAT(text, HasSubstr("[95 %]"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(results_table({example("striped")}, {0.95, true}), HasSubstr("\x1b[32m"));
}

TEST(ResultsTable, FitsAHundredColumns) {
  Result result = example("a concept with a very long name indeed, and ümläuts");
  result.class_name = "an even longer class name than that";
  result.layer = "/features/features.17/conv/conv.2";
  result.warnings = {"few"};
  std::istringstream lines(results_table({result, example("b")}, {}));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("!")) continue;
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(columns, 100) << line;
  }
}

TEST(ResultsTable, NamesCannotBreakTheLines) {
  Result result = example("two\nlines");
  result.class_name = "\x1b[31mred";
  result.warnings = {"saturated"};
  const std::string text = results_table({result}, {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ResultsTable, WarningsNameTheirResult) {
  Result result = example("striped");
  result.warnings = {"saturated"};
  EXPECT_THAT(results_table({result}, {}), HasSubstr("! striped / zebra: saturated\n"));
  EXPECT_EQ(results_table({}, {}), "no results\n");
}

}  // namespace
}  // namespace atcav::report
