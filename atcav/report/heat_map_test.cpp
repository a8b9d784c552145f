#include "atcav/report/heat_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace atcav::report {
namespace {

using testing::HasSubstr;

TEST(HeatMap, IsATableALayer) {
  const std::string html = heat_map_html({{"layer3", {"a", "<b>"}, Matrix{{1, -0.4}, {-0.4, 1}}}});
  EXPECT_THAT(html, HasSubstr("<caption>layer3</caption>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">&lt;b&gt;</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"negative\" style=\"--size:24%\">−0.40</td>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">a</th><td>1</td>"));
}

TEST(HeatMap, NeedsTwoConcepts) {
  EXPECT_EQ(heat_map_html({{"layer3", {"a"}, Matrix{{1}}}}), "");
  EXPECT_EQ(heat_map_html({}), "");
}

}  // namespace
}  // namespace atcav::report
