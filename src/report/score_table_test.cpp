#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/findings.h"
#include "report/testing_results.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ScoreTable, HasOneRowPerResultWithItsNumber) {
  Result second = example_result("a<b");
  second.warnings = {"one", "two"};
  const std::string html = score_table_html({example_result(), second}, 0.95);
  EXPECT_THAT(html,
              HasSubstr("<tr data-i=\"0\" class=\"for\"><th scope=\"row\"><a href=\"#closer\">striped</a>"));
  EXPECT_THAT(html, HasSubstr("a&lt;b"));
  EXPECT_THAT(html, HasSubstr("data-v=\"1.4\">+1.40 <small>+0.80 to +2.00</small>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#warnings\">2</a>"));
  EXPECT_THAT(html, Not(HasSubstr("layer3")));
}

TEST(ScoreTable, OfGivenDirectionsHasNoColumnsAboutExamples) {
  const std::string html = score_table_html({example_given()}, 0.95);
  for (const char* key : {"posterior", "accuracy", "p", "logits"})
    EXPECT_THAT(html, Not(HasSubstr(std::string("data-key=\"") + key + "\""))) << key;
  EXPECT_THAT(html, HasSubstr("intervals over inputs</caption>"));
  EXPECT_THAT(html, HasSubstr("data-v=\"4\">4</td>"));
}

TEST(ScoreTable, HasWhatCanBeSeenClosely) {
  const std::string html = score_table_html(std::vector<Result>(201, example_result()), 0.95);
  EXPECT_THAT(html, HasSubstr("<tr data-i=\"199\" class=\"for\"><th scope=\"row\"><a href"));
  EXPECT_THAT(html, Not(HasSubstr("<tr data-i=\"200\"")));
}

TEST(ScoreTable, NamesLayersWhenThereAreSeveral) {
  const std::string html =
      score_table_html({example_result("striped", "layer2"), example_result("striped", "layer3")}, 0.95);
  EXPECT_THAT(html, HasSubstr("data-key=\"layer\""));
  EXPECT_THAT(html, HasSubstr("<td class=\"place\">layer2</td>"));
}

}  // namespace
}  // namespace atcav::report
