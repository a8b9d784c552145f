#include "report/figures_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace atcav::report {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::Not;
using testing::Pointwise;

TEST(Scale, PutsValuesOntoPixels) {
  const Scale even{-1, 3, 100, 500};
  EXPECT_DOUBLE_EQ(even(-1), 100);
  EXPECT_DOUBLE_EQ(even(1), 300);
  const Scale decades{0.1, 10, 0, 200, true};
  EXPECT_DOUBLE_EQ(decades(1), 100);
}

TEST(Scale, IsOverWhatIsFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Scale over = scale_over({2, nan, 4, std::numeric_limits<double>::infinity()}, 0, 1);
  EXPECT_LT(over.low, 2);
  EXPECT_GT(over.high, 4);
  EXPECT_LT(over.high, 5);
  EXPECT_EQ(scale_over({nan}, 0, 1).high, 1);
  EXPECT_EQ(scale_over({7, 7}, 0, 1).low, 6);
}

TEST(Ticks, AreRoundAndWithinTheScale) {
  EXPECT_THAT(ticks({-0.3, 1.1, 0, 1}, 5), Pointwise(DoubleNear(1e-12), {0.0, 0.5, 1.0}));
  EXPECT_THAT(ticks({0.05, 200, 0, 1, true}, 5), Pointwise(DoubleNear(1e-9), {0.1, 1.0, 10.0, 100.0}));
  EXPECT_EQ(tick_text(-0.5), "−0.5");
  EXPECT_EQ(tick_text(0), "0");
}

TEST(Svg, NamesOfOthersStayText) {
  Svg svg(200, 100, "<script>", "a & b");
  svg.text({1, 2}, "\"x\" < y");
  const std::string text = svg.finish();
  EXPECT_THAT(text, Not(HasSubstr("<script>")));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(text, HasSubstr("a &amp; b"));
  EXPECT_THAT(text, HasSubstr("</svg>"));
}

}  // namespace
}  // namespace atcav::report
