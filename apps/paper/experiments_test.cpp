#include "apps/paper/experiments.h"

#include <gtest/gtest.h>

#include "apps/paper/testing_layers.h"

namespace atcav::paper {
namespace {

// The reduced version of the whole: every synthetic experiment end to end, every check asserted.
TEST(RunExperiments, AllChecksHoldWithFewRepeats) {
  int calls = 0;
  PaperOptions options{.repeats = 16, .seed = 5};
  options.progress = [&](const std::string&, Index, Index) { ++calls; };
  const std::vector<Section> sections = run_experiments({"synthetic"}, options);
  EXPECT_EQ(sections.size(), 10U);
  EXPECT_EQ(calls, 10);
  for (const Section& section : sections) EXPECT_TRUE(well_formed(section.figures)) << section.name;
  for (const std::string& failed : failed_checks(sections)) ADD_FAILURE() << failed;
}

TEST(RunExperiments, UnknownNamesListTheKnown) {
  try {
    run_experiments({"score"}, {});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("scores, ratio"), std::string::npos);
  }
}

TEST(RunExperimentsOnAModel, HaveEveryFigureOfThePaper) {
  const std::vector<Section> sections =
      run_experiments({"real"}, {.repeats = 3}, [] { return testing_layers(); });
  EXPECT_EQ(sections.size(), 6U);
  for (const Section& section : sections) EXPECT_TRUE(well_formed(section.figures)) << section.name;
  EXPECT_TRUE(failed_checks(sections).empty());
}

TEST(RunExperimentsOnAModel, AreThoseThatAreNamed) {
  const std::vector<Section> sections =
      run_experiments({"alpha-star", "vary-s"}, {.repeats = 3}, [] { return testing_layers(); });
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].name, "vary-s");
  EXPECT_EQ(sections[1].name, "alpha-star");
}

TEST(RunExperimentsOnAModel, WithoutLayersIsAnError) {
  EXPECT_THROW(run_experiments({"real"}, {}, [] { return std::vector<LayerData>(); }), std::invalid_argument);
}

TEST(FailedChecks, NamesFigureAndClaim) {
  Figure figure;
  figure.id = "f";
  figure.claims = {{"finding", {}, {}, {}, false, false}, {"check", {}, {}, {}, false, true}};
  EXPECT_EQ(failed_checks({{"s", "S", {figure}, 0}}), std::vector<std::string>{"f: check"});
}

}  // namespace
}  // namespace atcav::paper
