#include "report/figures.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/figures_charts.h"
#include "report/figures_svg.h"
#include "report/testing_results.h"

namespace atcav::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names_of(const Figures& figures) {
  std::vector<std::string> names;
  for (const Figure& figure : figures.list) names.push_back(figure.name);
  return names;
}

TEST(MakeFigures, OneFileForEachChart) {
  EXPECT_THAT(
      names_of(make_figures(example_run())),
      ElementsAre("effects-zebra.svg", "sensitivity-zebra-striped.svg", "sensitivity-zebra-dotted.svg"));
  RunResult run = example_run();
  run.results.push_back(example_result("striped", "layer4"));
  EXPECT_THAT(names_of(make_figures(run)),
              ElementsAre("effects-zebra.svg", "sensitivity-layer3-zebra-striped.svg",
                          "sensitivity-layer3-zebra-dotted.svg", "sensitivity-layer4-zebra-striped.svg"));
  EXPECT_TRUE(make_figures({}).list.empty());
}

TEST(MakeFigures, NamesAreSafeAndDiffer) {
  RunResult run;
  for (const char* name : {"../a b", "../a/b"}) run.results.push_back(example_result(name));
  EXPECT_THAT(names_of(make_figures(run)), ElementsAre("effects-zebra.svg", "sensitivity-zebra-.._a_b.svg",
                                                       "sensitivity-zebra-.._a_b-2.svg"));
}

TEST(MakeFigures, SaysHowManyWereLeftOut) {
  const Figures figures = make_figures(example_run(), 2);
  EXPECT_EQ(figures.list.size(), 2U);
  EXPECT_EQ(figures.left_out, 1U);
}

TEST(EffectsSvg, HollowWhereNothingIsShownAndTextStaysText) {
  Result unused = example_result("<b>");
  unused.examples->significance.bonferroni = 1;
  unused.effect.d_interval = {-0.1, 2.0};
  const Result used = example_result();
  const std::string svg = effects_svg({&used, &unused}, 0.95);
  EXPECT_THAT(svg, HasSubstr("fill=\"#0a6a9c\" stroke=\"#0a6a9c\""));
  EXPECT_THAT(svg, HasSubstr("fill=\"#ffffff\" stroke=\"#7b828a\""));
  EXPECT_THAT(svg, HasSubstr("&lt;b&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(EffectsSvg, NothingIsDrawnOfAnUndefinedD) {
  const Result silent = example_undefined();
  const std::string svg = effects_svg({&silent}, 0.95);
  EXPECT_THAT(svg, HasSubstr(">undefined</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<circle")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(EffectsSvg, ManyRowsAreTheLargest) {
  std::vector<Result> results;
  for (int i = 0; i < 100; ++i) {
    results.push_back(example_result(fmt::format("c{}", i)));
    results.back().effect.d = i;
  }
  std::vector<const Result*> some;
  for (const Result& result : results) some.push_back(&result);
  const std::string svg = effects_svg(some, 0.95);
  EXPECT_THAT(svg, HasSubstr("the 80 largest of 100"));
  EXPECT_THAT(svg, HasSubstr(">c20<"));
  EXPECT_THAT(svg, Not(HasSubstr(">c19<")));
}

TEST(Scale, PutsValuesInPlace) {
  const Scale across{0, 4, 100, 300};
  EXPECT_EQ(across(1), 150);
  EXPECT_THAT(ticks(across, 4), ElementsAre(0, 1, 2, 3, 4));
  const Scale decades{0.1, 100, 0, 3, true};
  EXPECT_NEAR(decades(1), 1, 1e-12);
  EXPECT_EQ(ticks(decades, 4).size(), 4U);
  const Scale nothing = scale_over({}, 0, 1);
  EXPECT_LT(nothing.low, nothing.high);
  const Scale one = scale_over({2, 2}, 0, 1);
  EXPECT_LT(one.low, one.high);
}

}  // namespace
}  // namespace atcav::report
