#include "apps/paper/paper_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/paper/testing_paper.h"

namespace atcav::paper {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(PaperHtml, ShowsClaimsBesideThePapersNumbers) {
  const std::string html = paper_html(testing_sections(), {"atcav paper -o out", 50, 0});
  EXPECT_THAT(html, HasSubstr("1 of 1 checks"));
  EXPECT_THAT(html, HasSubstr("2.5 SE"));
  EXPECT_THAT(html, HasSubstr("does not hold"));
  EXPECT_THAT(html, HasSubstr("r(∞): it is far <small>(Sec. r)</small>"));
  EXPECT_THAT(html, HasSubstr("cannot be tested"));
  EXPECT_THAT(html, HasSubstr("figure-ratio"));
  EXPECT_THAT(html, HasSubstr("atcav paper -o out"));
}

TEST(PaperHtml, EscapesTextAndLeavesNoPlaceholder) {
  const std::string html = paper_html(testing_sections(), {"atcav <script>", 50, 0});
  EXPECT_THAT(html, HasSubstr("Ratio &lt;of&gt; variances"));
  EXPECT_THAT(html, Not(HasSubstr("atcav <script>")));
  EXPECT_THAT(html, Not(HasSubstr("{{")));
}

}  // namespace
}  // namespace atcav::paper
