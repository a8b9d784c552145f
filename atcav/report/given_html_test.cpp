#include "atcav/report/given_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "atcav/report/testing_given.h"

namespace atcav::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(GivenHtml, WordsNumbersAndPictures) {
  RunResult scored = example_given_scored();
  scored.entanglement = {{"layer3", {"dotted", "striped"}, Matrix{{1, -0.25}, {-0.25, 1}}}};
  Thumbnails thumbnails;
  for (const char* name : {"a.png", "b.png", "c.png", "d.png"})
    thumbnails["zebra"].push_back({name, "data:image/png;base64,AA=="});
  const std::string page =
      given_html(scored, {.command_line = "atcav run --cavs x", .thumbnails = thumbnails});
  EXPECT_THAT(page, HasSubstr("<strong>striped:</strong> along it the logit of zebra rises; 0.61"));
  EXPECT_THAT(page, HasSubstr("--at:0.6100;--low:0.5500;--high:0.6700"));
  EXPECT_THAT(page, HasSubstr("for the class score 0.73")) << "1/(1 + 1/e)";
  EXPECT_THAT(page, HasSubstr("<td class=\"negative\" style=\"--size:15%\">−0.25</td>"));
  EXPECT_THAT(page, HasSubstr("<li>directions were given</li>"));
  EXPECT_THAT(page, HasSubstr("alt=\"b.png, sensitivity +1.54\""));  // 2 over √(6.75/4)
  EXPECT_THAT(page, HasSubstr("atcav run --cavs x"));
  EXPECT_THAT(page, HasSubstr("cavs.safetensors"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
  EXPECT_EQ(page, given_html(scored, {.command_line = "atcav run --cavs x", .thumbnails = thumbnails}));
}

TEST(GivenHtml, HostileNamesStayText) {
  const std::string hostile = "</style><script>alert(1)</script>\"'&{{title}}";
  RunResult scored = example_given_scored();
  GivenScore& given = scored.given[0];
  given.concept_name = given.class_name = given.layer = hostile;
  given.warnings = {hostile};
  const std::string page = given_html(scored, {.command_line = hostile});
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("\"'&{{")));
}

TEST(GivenHtml, NeedsScoresAndPicturesInThePage) {
  EXPECT_THROW(given_html({}, {}), std::invalid_argument);
  const RunResult scored = example_given_scored();
  EXPECT_THROW(given_html(scored, {.thumbnails = {{"zebra", {{"a", ""}}}}}), std::invalid_argument);
}

}  // namespace
}  // namespace atcav::report
